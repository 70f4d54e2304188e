// A printable receipt of the payment. It is shown once the funding transaction has the required confirmations.
import { useLocale, useTexts } from "../i18n/language.tsx";
import { showDecimal, showMoment } from "../ui/format.ts";
import { HexValue } from "../ui/hex.tsx";
import { type Checkout, isPositive } from "./payment/checkout.ts";
import { transactionLink } from "./payment/explorer.ts";
import { pay } from "./payment/texts.ts";
import type { Verified } from "./payment/verify.ts";
import { formatTotal } from "./summary.tsx";

export function Receipt({ checkout, verified }: { checkout: Checkout; verified: Verified }) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { data } = checkout;
  const { order, currency, network } = data;
  if (!order || data.confirmations.seen < data.confirmations.required) return null;
  const transaction = order.fundingTransaction;
  return (
    <section className="card stack receipt" aria-labelledby="receipt">
      <div className="row spread">
        <h2 id="receipt">{t("receipt.title")}</h2>
        <button type="button" className="button no-print" onClick={() => window.print()}>
          {t("receipt.print")}
        </button>
      </div>
      <dl className="facts">
        <div>
          <dt>{t("summary.to")}</dt>
          <dd>{data.merchantName}</dd>
        </div>
        {data.description !== null && (
          <div>
            <dt>{t("summary.for")}</dt>
            <dd>{data.description}</dd>
          </div>
        )}
        <div>
          <dt>{t("receipt.amount")}</dt>
          <dd className="number">{formatTotal({ checkout, verified }, locale)}</dd>
        </div>
        {isPositive(order.refunded) && (
          <div>
            <dt>{t("receipt.refunded")}</dt>
            <dd className="number">
              {showDecimal(order.refunded, locale)} {currency}
            </dd>
          </div>
        )}
        <div>
          <dt>{t("receipt.paid")}</dt>
          <dd className="number">{showMoment(order.fundedAt, locale)}</dd>
        </div>
        <div>
          <dt>{t("receipt.payer")}</dt>
          <dd>
            <HexValue value={order.payer} />
          </dd>
        </div>
        <div>
          <dt>{t("receipt.transaction")}</dt>
          <dd>
            <HexValue value={transaction} href={transactionLink(network, transaction)} />
          </dd>
        </div>
        {data.supportEmail !== null && (
          <div>
            <dt>{t("receipt.support")}</dt>
            <dd>{data.supportEmail}</dd>
          </div>
        )}
        <div>
          <dt>{t("summary.id")}</dt>
          <dd>
            <HexValue value={checkout.id} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
