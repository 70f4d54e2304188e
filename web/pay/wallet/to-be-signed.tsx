// Shows what the wallet will be asked to sign, in plain language and as the exact typed data.
import type { TypedDataDefinition } from "viem";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showAmount, showMoment } from "../../ui/format.ts";
import { HexValue } from "../../ui/hex.tsx";
import type { Checkout } from "../payment/checkout.ts";
import { addressLink } from "../payment/explorer.ts";
import type { Verified } from "../payment/verify.ts";
import type { PaymentMethod } from "./payment-methods.ts";
import { walletTexts } from "./texts.ts";

/** Yields every value with its name, including the values of nested structs. */
function* fieldsOf(values: object): Generator<[name: string, value: string]> {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "object" && value !== null) yield* fieldsOf(value);
    else yield [name, String(value)];
  }
}

/** Shows the message first, then the domain that will verify it. */
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

type PaymentProps = { checkout: Checkout; verified: Verified };

function InWords({ checkout: { data }, verified: { contract, terms } }: PaymentProps) {
  const t = useTexts(walletTexts);
  const locale = useLocale();
  const held = data.type === "DELIVERY_VS_PAYMENT";
  return (
    <dl className="facts">
      <div>
        <dt>{t("signed.amount")}</dt>
        <dd className="number">
          <strong>{showAmount(terms.amount, data.currency, locale)}</strong>
        </dd>
      </div>
      <div>
        <dt>{t(held ? "signed.heldBy" : "signed.passes")}</dt>
        <dd>
          <HexValue value={contract} href={addressLink(data.network, contract)} />
        </dd>
      </div>
      <div>
        <dt>{t("signed.for", { merchant: data.merchantName })}</dt>
        <dd>
          <HexValue value={terms.payee} href={addressLink(data.network, terms.payee)} />
        </dd>
      </div>
      <div>
        <dt>{t("signed.until")}</dt>
        <dd className="number">{showMoment(terms.fundingDeadline, locale)}</dd>
      </div>
    </dl>
  );
}

export function ToBeSigned({
  paymentMethod,
  ...shown
}: PaymentProps & { paymentMethod: PaymentMethod | undefined }) {
  const t = useTexts(walletTexts);
  if (paymentMethod?.by !== "signature") return null;
  return (
    <details className="technical">
      <summary>{t("pay.shown")}</summary>
      <section className="stack" aria-label={t("pay.shown")}>
        <InWords {...shown} />
        <p className="small soft">{t("signed.raw")}</p>
        <div className="signed stack">
          {paymentMethod.permit && <Signed typedData={paymentMethod.permit} />}
          <Signed typedData={paymentMethod.payment} />
        </div>
      </section>
    </details>
  );
}
