// The typed data that the wallet will be asked to sign: the very object, shown before.
import { useConnection } from "wagmi";
import { useTexts } from "../../i18n/language.tsx";
import type { Verified } from "../verify.ts";
import { wallet } from "./texts.ts";

export function ToBeSigned({ verified }: { verified: Verified }) {
  const t = useTexts(wallet);
  const { address } = useConnection();
  if (!address) return null;
  const { domain, primaryType, message } = verified.typedDataFor(address);
  return (
    <details className="technical">
      <summary>{t("pay.shown")}</summary>
      {/* Longer than it is wide: whoever uses a keyboard must be able to scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to take the focus */}
      <section className="signed" tabIndex={0} aria-label={t("pay.shown")}>
        <dl className="mono">
          {Object.entries({ ...domain, primaryType, ...message }).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </details>
  );
}
