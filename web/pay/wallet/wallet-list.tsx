// The list of wallets. If there are none, shows links into mobile wallets, or the page's URL as a QR code.
import { useRef } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { useEnvironment } from "../../ui/environment.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useTakeFocus } from "../../ui/take-focus.ts";
import { choosing } from "./choosing-texts.ts";
import { type FoundWallet, formatWalletName, WALLET_CONNECT } from "./find-wallets.ts";
import { OpenInWallet } from "./open-in-wallet.tsx";
import { CopyLink, QrCode, QrToggle } from "./qr-code.tsx";

/** Wallets provide their icon as a data URI (EIP-6963); external URLs are not loaded. */
function WalletIcon({ icon }: { icon: string | undefined }) {
  const data = icon?.trim() ?? "";
  return data.startsWith("data:image/") ? (
    <img className="wallet-icon" src={data} alt="" width="32" height="32" />
  ) : (
    <span className="wallet-icon wallet-icon-none" aria-hidden="true" />
  );
}

type Choice = {
  wallets: readonly FoundWallet[];
  /** Id of the wallet that is connecting. */
  waiting: string | undefined;
  onChoose(id: string): void;
};

/** Returns the options besides the wallets of this browser. */
function useOthers(): FoundWallet[] {
  const { walletConnectProjectId } = useEnvironment();
  return walletConnectProjectId === null ? [] : [WALLET_CONNECT];
}

export function WalletList(choice: Choice) {
  const { isPhone, address } = useEnvironment();
  const { wallets } = choice;
  const others = useOthers();
  if (typeof window === "undefined") return <Coming others={others} />;
  if (wallets.length === 0) {
    return (
      <>
        <NoWallet />
        {others.length > 0 && <Choices {...choice} wallets={others} />}
      </>
    );
  }
  return (
    <>
      <Choices {...choice} wallets={[...wallets, ...others]} />
      {!isPhone && <QrToggle address={address} />}
    </>
  );
}

function Choices({ wallets, waiting, onChoose }: Choice) {
  const t = useTexts(choosing);
  const first = useRef<HTMLButtonElement>(null);
  useTakeFocus(first);
  const target = waiting ?? wallets[0]?.id;
  return (
    <ul className="wallets">
      {wallets.map((wallet) => (
        <li key={wallet.id}>
          <button
            ref={wallet.id === target ? first : undefined}
            type="button"
            className="button wallet"
            aria-disabled={waiting !== undefined}
            onClick={() => waiting === undefined && onChoose(wallet.id)}
          >
            {waiting === wallet.id ? (
              <span className="wallet-icon wallet-waits">
                <span className="spinner" aria-hidden="true" />
              </span>
            ) : wallet === WALLET_CONNECT ? (
              <span className="wallet-icon wallet-waits">
                <Icon name="link" />
              </span>
            ) : (
              <WalletIcon icon={wallet.icon} />
            )}
            {waiting === wallet.id
              ? t("connecting", { name: formatWalletName(wallet, t) })
              : formatWalletName(wallet, t)}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Shown by the server, which cannot detect the browser's wallets. */
const Coming = ({ others }: { others: FoundWallet[] }) => (
  <div className="stack wallets-coming" aria-busy="true">
    <NoWallet />
    {others.length > 0 && <Choices wallets={others} waiting={undefined} onChoose={() => undefined} />}
  </div>
);

function NoWallet() {
  const t = useTexts(choosing);
  const { isPhone, address } = useEnvironment();
  if (isPhone) {
    return (
      <>
        <h3>{t("choose.phone.title")}</h3>
        <OpenInWallet address={address} />
        <CopyLink address={address} />
      </>
    );
  }
  return (
    <>
      <h3>{t("choose.none.title")}</h3>
      <p className="soft">{t("choose.none.text")}</p>
      <QrCode address={address} />
      <CopyLink address={address} />
    </>
  );
}
