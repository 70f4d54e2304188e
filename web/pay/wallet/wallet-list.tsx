// The wallets to choose from. Without one: links into the wallets of a phone, or the page's address as a QR code.
import { useRef } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { useEnvironment } from "../../ui/environment.tsx";
import { useTakeFocus } from "../../ui/take-focus.ts";
import { CopyLink, QrCode, QrToggle } from "../qr-code.tsx";
import { choosing } from "./choosing-texts.ts";
import { type FoundWallet, nameOf } from "./find-wallets.ts";
import { OpenInWallet } from "./open-in-wallet.tsx";

/** A wallet gives its icon as data (EIP-6963); what points elsewhere is not loaded. */
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
  /** The id of the wallet that is waited for. */
  waiting: string | undefined;
  onChoose(id: string): void;
};

export function WalletList({ wallets, waiting, onChoose }: Choice) {
  const t = useTexts(choosing);
  const { isPhone, address } = useEnvironment();
  const first = useRef<HTMLButtonElement>(null);
  useTakeFocus(first);
  if (typeof window === "undefined") return <Coming />;
  if (wallets.length === 0) return <NoWallet />;
  return (
    <>
      <ul className="wallets">
        {wallets.map((wallet, index) => (
          <li key={wallet.id}>
            <button
              ref={
                waiting === undefined
                  ? index === 0
                    ? first
                    : undefined
                  : waiting === wallet.id
                    ? first
                    : undefined
              }
              type="button"
              className="button wallet"
              aria-disabled={waiting !== undefined}
              onClick={() => waiting === undefined && onChoose(wallet.id)}
            >
              <WalletIcon icon={wallet.icon} />
              {waiting === wallet.id ? t("connecting", { name: nameOf(wallet, t) }) : nameOf(wallet, t)}
            </button>
          </li>
        ))}
      </ul>
      {!isPhone && <QrToggle address={address} />}
    </>
  );
}

/** On the server, which does not know the browser's wallets. */
const Coming = () => (
  <div className="stack wallets-coming" aria-busy="true">
    <NoWallet />
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
