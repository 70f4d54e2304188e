// Links that open this page inside a payer's mobile wallet. Each wallet documents its own link format. If the wallet is
// not installed, its link opens the app store.
import { useTexts } from "../../i18n/language.tsx";
import { choosing } from "./choosing-texts.ts";

const LINKS: Record<string, (page: URL) => string> = {
  // MetaMask requires the URL without its scheme and unencoded.
  MetaMask: ({ href, protocol }) => `https://link.metamask.io/dapp/${href.slice(protocol.length + 2)}`,
  "Coinbase Wallet": ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}`,
  "Trust Wallet": ({ href }) =>
    `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`,
  Phantom: ({ href, origin }) =>
    `https://phantom.app/ul/browse/${encodeURIComponent(href)}?ref=${encodeURIComponent(origin)}`,
};

export function OpenInWallet({ address }: { address: string }) {
  const t = useTexts(choosing);
  const page = new URL(address);
  return (
    <>
      <p className="soft">{t("choose.phone.text")}</p>
      <ul className="wallets">
        {Object.entries(LINKS).map(([name, linkTo]) => (
          <li key={name}>
            <a className="button wallet" href={linkTo(page)} rel="noreferrer">
              {t("choose.open", { name })}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
