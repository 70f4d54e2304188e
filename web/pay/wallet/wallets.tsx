// The wallets that announced themselves (EIP-6963), else the one at window.ethereum.
import { type Connector, useConnect, useConnectors } from "wagmi";
import { useTexts } from "../../i18n/language.tsx";
import { Notice } from "../../ui/notice.tsx";
import { problemOf } from "./problem.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { wallet } from "./texts.ts";

/** Of wagmi's own connector, which takes whatever is at window.ethereum. */
const FALLBACK = "injected";

function useWallets(): readonly Connector[] {
  const connectors = useConnectors();
  const announced = connectors.filter(({ id }) => id !== FALLBACK);
  if (announced.length > 0) return announced;
  return "ethereum" in window ? connectors : [];
}

/** A wallet gives its icon as data (EIP-6963); what points elsewhere is not loaded. */
function Icon({ icon }: { icon: string | undefined }) {
  const data = icon?.trim() ?? "";
  return data.startsWith("data:image/") ? (
    <img className="wallet-icon" src={data} alt="" width="32" height="32" />
  ) : (
    <span className="wallet-icon wallet-icon-none" aria-hidden="true" />
  );
}

export function Wallets() {
  const t = useTexts(wallet);
  const wallets = useWallets();
  const { mutate: connect, isPending, variables, error } = useConnect();
  if (wallets.length === 0) {
    return <Notice title={t("choose.none.title")}>{t("choose.none.text")}</Notice>;
  }
  return (
    <>
      <ul className="wallets">
        {wallets.map((connector) => {
          const waiting = isPending && variables.connector === connector;
          const name = connector.id === FALLBACK ? t("choose.other") : connector.name;
          return (
            <li key={connector.uid}>
              <button
                type="button"
                className="button wallet"
                disabled={isPending}
                onClick={() => connect({ connector })}
              >
                <Icon icon={connector.icon} />
                {waiting ? t("connecting", { name }) : name}
              </button>
            </li>
          );
        })}
      </ul>
      {error && <ProblemNotice problem={problemOf(error)} />}
    </>
  );
}
