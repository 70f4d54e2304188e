// When the money moves and to whom, in plain words, from the terms that the payer signs.
import { zeroAddress } from "viem";
import { useLocale, useTexts } from "../i18n/language.tsx";
import { showDuration, showMoment } from "../ui/format.ts";
import type { Checkout } from "./checkout.ts";
import { pay } from "./texts.ts";
import type { Verified } from "./verify.ts";

/** An order that its proof releases is one, whatever its type is called. */
const typeOf = ({ releaseType, terms }: Verified) =>
  releaseType === "DELIVERY_PROOF" && terms.autoReleaseOnProof ? ("AUTO_RELEASE" as const) : releaseType;

/** The same in half a sentence. */
export function Gist({ verified }: { verified: Verified }) {
  const t = useTexts(pay);
  const locale = useLocale();
  const type = typeOf(verified);
  return (
    <p className="gist">
      {type === "TIME_LOCKED"
        ? t("gist.TIME_LOCKED", { date: showMoment(verified.terms.timeLockUntil, locale) })
        : t(`gist.${type}`)}
    </p>
  );
}

export function WhenItMoves({ checkout, verified }: { checkout: Checkout; verified: Verified }) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { merchantName: merchant, order } = checkout.data;
  const { terms } = verified;
  const type = typeOf(verified);
  const main =
    type === "TIME_LOCKED"
      ? t("when.TIME_LOCKED", { merchant, date: showMoment(terms.timeLockUntil, locale) })
      : t(`when.${type}`, { merchant });
  const reclaim = order
    ? t("when.reclaimAt", { date: showMoment(order.deliveryDeadline, locale) })
    : t("when.reclaim", { time: showDuration(terms.deliveryPeriod, locale) });
  return (
    <div className="stack-tight">
      <h2>{t("summary.when")}</h2>
      {type === "IMMEDIATE" ? (
        <p>{main}</p>
      ) : (
        <ul className="words">
          <li>{t("when.held", { merchant })}</li>
          <li>{main}</li>
          <li>{reclaim}</li>
          {terms.arbiter !== zeroAddress && <li>{t("when.dispute")}</li>}
        </ul>
      )}
    </div>
  );
}
