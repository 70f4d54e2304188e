// The typed data that the wallet will be asked to sign: the very objects, shown before.
import type { TypedDataDefinition } from "viem";
import { useTexts } from "../../i18n/language.tsx";
import { wallet } from "./texts.ts";
import type { Way } from "./ways.ts";

/** Every value with its name, those of inner structs as well. */
function* fieldsOf(values: object): Generator<[name: string, value: string]> {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "object" && value !== null) yield* fieldsOf(value);
    else yield [name, String(value)];
  }
}

/** What it is and says comes first, then whose signature check it is for. */
function Signed({ typedData: { domain = {}, primaryType, message } }: { typedData: TypedDataDefinition }) {
  return (
    <div className="mono">
      <strong>{primaryType}</strong>
      <dl>
        {[...fieldsOf(message), ...fieldsOf(domain)].map(([name, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names repeat, and the order of a struct never changes
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export function ToBeSigned({ way }: { way: Way | undefined }) {
  const t = useTexts(wallet);
  if (way?.by !== "signature") return null;
  return (
    <details className="technical">
      <summary>{t("pay.shown")}</summary>
      {/* Longer than it is wide: whoever uses a keyboard must be able to scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to take the focus */}
      <section className="signed stack" tabIndex={0} aria-label={t("pay.shown")}>
        {way.permit && <Signed typedData={way.permit} />}
        <Signed typedData={way.payment} />
      </section>
    </details>
  );
}
