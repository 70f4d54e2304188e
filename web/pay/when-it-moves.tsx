// When the money moves and to whom, in plain words, from the terms that the payer signs.
import { useLocale, useTexts } from "../i18n/language.tsx";
import { showAmount, showDuration, showMoment } from "../ui/format.ts";
import { useNow } from "../ui/use-now.ts";
import { restOf } from "./amounts.ts";
import type { Checkout } from "./checkout.ts";
import { endingOf } from "./expired-dispute.ts";
import { rulesOf } from "./rules.ts";
import { pay } from "./texts.ts";
import type { Verified } from "./verify.ts";

type Shown = { checkout: Checkout; verified: Verified };

const useRules = ({ checkout, verified }: Shown) => rulesOf(verified, checkout.data.order?.payer, useNow());

/** What becomes of the payer's dispute if nobody decides it. */
export function useUndecided(shown: Shown): string {
  const t = useTexts(pay);
  const { undecided } = useRules(shown);
  return t(undecided, { merchant: shown.checkout.data.merchantName });
}

/** What ending a dispute does that nobody decided in time; empty while there is none. */
export function useEnding({ checkout, verified }: Shown): string {
  const t = useTexts(pay);
  const locale = useLocale();
  const now = useNow();
  const { merchantName: merchant, currency, order } = checkout.data;
  if (order?.status !== "Disputed") return "";
  const amount = showAmount(restOf(checkout, verified), currency, locale);
  const date = showMoment(verified.terms.timeLockUntil, locale);
  return endingOf(checkout, order, verified, now)
    .map((key) => t(key, { merchant, amount, date }))
    .join(" ");
}

/** When the money moves, in half a sentence. */
export function Gist(shown: Shown) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { gist } = useRules(shown);
  return <p className="gist">{t(gist, { date: showMoment(shown.verified.terms.timeLockUntil, locale) })}</p>;
}

export function WhenItMoves({ checkout, verified }: Shown) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { rules } = useRules({ checkout, verified });
  const { merchantName: merchant, order } = checkout.data;
  const { timeLockUntil, deliveryPeriod } = verified.terms;
  const time = showDuration(deliveryPeriod, locale);
  const sentences = rules.map((rule) => {
    const moment = rule.startsWith("rule.reclaimAt") ? (order?.deliveryDeadline ?? 0) : timeLockUntil;
    return t(rule, { merchant, time, date: showMoment(moment, locale) });
  });
  return (
    <div className="stack-tight">
      <h2>{t("summary.when")}</h2>
      {sentences.length === 1 ? (
        <p>{sentences[0]}</p>
      ) : (
        <ul className="words">
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
