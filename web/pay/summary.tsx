// Summarizes the payment: the amount, the merchant, the purpose and the terms.
import { zeroAddress } from "viem";
import { useLocale, useTexts } from "../i18n/language.tsx";
import { showAmount, showDecimal, showDuration, showMoment } from "../ui/format.ts";
import { HexValue } from "../ui/hex.tsx";
import { useNow } from "../ui/use-now.ts";
import { MerchantImage } from "./merchant.tsx";
import { type Checkout, isPayable, isPositive, type Milestone } from "./payment/checkout.ts";
import { addressLink } from "./payment/explorer.ts";
import { pay } from "./payment/texts.ts";
import type { Verified } from "./payment/verify.ts";
import { Promises, WhenItMoves } from "./payment/when-it-moves.tsx";

/** Whether it is still undecided where the money goes. */
const isOpen = ({ status, data: { order } }: Checkout): boolean =>
  order ? order.releasedAt === null && order.endedAt === null : status !== "CANCELED";

type PaymentProps = { checkout: Checkout; verified: Verified };

export function Summary({ checkout, verified }: PaymentProps) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { data } = checkout;
  const amount = showDecimal(data.amount, locale);
  return (
    <section className="card stack what" aria-labelledby="what">
      <div className="merchant">
        <MerchantImage data={data} />
        <h1 id="what" className="to">
          <span className="soft small">{t("summary.to")}</span> {data.merchantName}
        </h1>
      </div>
      <div className="stack-tight">
        <p className="amount number">
          {amount} <span className="unit">{data.currency}</span>
        </p>
        {data.description !== null && (
          <p className="description">
            <span className="hidden">{t("summary.for")}: </span>
            {data.description}
          </p>
        )}
      </div>
      {isOpen(checkout) && <Promises checkout={checkout} verified={verified} />}
      {isPayable(checkout) && (
        <dl className="facts">
          {verified.terms.payer !== zeroAddress && (
            <div>
              <dt>{t("summary.payer")}</dt>
              <dd>
                <HexValue
                  value={verified.terms.payer}
                  href={addressLink(data.network, verified.terms.payer)}
                />
                <span className="soft small">{t("summary.boundPayer")}</span>
              </dd>
            </div>
          )}
          <Deadline at={verified.terms.fundingDeadline} />
        </dl>
      )}
    </section>
  );
}

/** The terms under which the money moves, and the parties. */
export function Conditions({ checkout, verified }: PaymentProps) {
  return (
    <div className="card conditions">
      {isOpen(checkout) && <WhenItMoves checkout={checkout} verified={verified} />}
      <Milestones milestones={checkout.data.milestones} checkout={checkout} />
      <Technical checkout={checkout} verified={verified} />
    </div>
  );
}

function Deadline({ at }: { at: number }) {
  const t = useTexts(pay);
  const locale = useLocale();
  const left = at - useNow();
  return (
    <div>
      <dt>{t("summary.payBy")}</dt>
      <dd>
        {showMoment(at, locale)}
        <span className="soft small number">
          {left > 0 ? t("summary.left", { time: showDuration(left, locale) }) : t("summary.over")}
        </span>
      </dd>
    </div>
  );
}

function Milestones({ milestones, checkout }: { milestones: Milestone[]; checkout: Checkout }) {
  const t = useTexts(pay);
  const locale = useLocale();
  if (milestones.length === 0) return null;
  return (
    <div className="stack-tight">
      <h2>{t("summary.milestones")}</h2>
      <ol className="milestones">
        {milestones.map(({ index, description, amount, status }) => (
          <li key={index}>
            <span>{description ?? t("milestone.unnamed", { number: index + 1 })}</span>
            <span className="number">
              {showDecimal(amount, locale)} {checkout.data.currency}
            </span>
            <span className={`tag ${status === "PENDING" ? "" : "tag-good"}`}>
              {t(`milestone.${status}`)}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Technical({ checkout, verified }: PaymentProps) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { network, currency, estimatedFee } = checkout.data;
  const { terms, id, chainId } = verified;
  const accounts = [
    ["summary.token", terms.token],
    ["summary.recipient", terms.payee],
    ["summary.oracle", terms.deliveryOracle],
    ["summary.arbiter", terms.arbiter],
  ] as const;
  return (
    <details className="technical">
      <summary>{t("summary.details")}</summary>
      <dl className="facts">
        {accounts
          .filter(([, address]) => address !== zeroAddress)
          .map(([key, address]) => (
            <div key={key}>
              <dt>
                {t(key)}
                {key === "summary.token" && ` ${currency}`}
              </dt>
              <dd>
                <HexValue value={address} href={addressLink(network, address)} />
              </dd>
            </div>
          ))}
        <div>
          <dt>{t("summary.contract")}</dt>
          <dd>
            <HexValue value={verified.contract} href={addressLink(network, verified.contract)} />
          </dd>
        </div>
        <div>
          <dt>{t("summary.network")}</dt>
          <dd>
            {network.name} ({chainId})
          </dd>
        </div>
        <div>
          <dt>{t("summary.fee")}</dt>
          <dd>
            {isPositive(estimatedFee)
              ? `${showDecimal(estimatedFee, locale)} ${currency}`
              : t("summary.noFee")}
          </dd>
        </div>
        <div>
          <dt>{t("summary.id")}</dt>
          <dd>
            <HexValue value={id} />
          </dd>
        </div>
      </dl>
    </details>
  );
}

/** Formats the full amount that the payer pays. */
export const formatTotal = ({ checkout, verified }: PaymentProps, locale: string): string =>
  showAmount(verified.terms.amount, checkout.data.currency, locale);
