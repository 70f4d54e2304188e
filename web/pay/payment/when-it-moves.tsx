// Explains when the money moves and to whom, based on the terms that the payer signs.
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showAmount, showDuration, showMoment } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { useNow } from "../../ui/use-now.ts";
import { computeRest } from "./amounts.ts";
import type { Checkout } from "./checkout.ts";
import { predictEnding } from "./expired-dispute.ts";
import { buildRules, type RuleKey } from "./rules.ts";
import { pay } from "./texts.ts";
import type { Verified } from "./verify.ts";

type PaymentProps = { checkout: Checkout; verified: Verified };

const useRules = ({ checkout, verified }: PaymentProps) =>
  buildRules(verified, checkout.data.order?.payer, useNow());

/** Returns what happens to the payer's dispute if nobody decides it. */
export function useUndecided(shown: PaymentProps): string {
  const t = useTexts(pay);
  const { undecided } = useRules(shown);
  return t(undecided, { merchant: shown.checkout.data.merchantName });
}

/** Returns what closing an expired dispute does, or an empty string if there is no dispute. */
export function useEnding({ checkout, verified }: PaymentProps): string {
  const t = useTexts(pay);
  const locale = useLocale();
  const now = useNow();
  const { merchantName: merchant, currency, order } = checkout.data;
  if (order?.status !== "Disputed") return "";
  const amount = showAmount(computeRest(checkout, verified), currency, locale);
  const date = showMoment(verified.terms.timeLockUntil, locale);
  return predictEnding(checkout, order, verified, now)
    .map((key) => t(key, { merchant, amount, date }))
    .join(" ");
}

/** Shows when the money moves and how the payer gets it back, in one line each. */
export function Promises(shown: PaymentProps) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { gist, rules } = useRules(shown);
  const { terms } = shown.verified;
  const reclaim = rules.find((rule) => rule.startsWith("rule.reclaim"));
  return (
    <ul className="promises">
      <li>
        <Icon name={reclaim ? "lock" : "clock"} />
        {t(gist, { date: showMoment(terms.timeLockUntil, locale) })}
      </li>
      <li>
        <Icon name={reclaim ? "undo" : "warning"} />
        {reclaim ? <Rule rule={reclaim} {...shown} /> : t("summary.noWayBack")}
      </li>
    </ul>
  );
}

function Rule({ rule, checkout, verified }: PaymentProps & { rule: RuleKey }) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { merchantName: merchant, order } = checkout.data;
  const { timeLockUntil, deliveryPeriod } = verified.terms;
  const moment = rule.startsWith("rule.reclaimAt") ? (order?.deliveryDeadline ?? 0) : timeLockUntil;
  return t(rule, { merchant, time: showDuration(deliveryPeriod, locale), date: showMoment(moment, locale) });
}

export function WhenItMoves({ checkout, verified }: PaymentProps) {
  const t = useTexts(pay);
  const { rules } = useRules({ checkout, verified });
  return (
    <details className="technical">
      <summary>{t("summary.when")}</summary>
      <ul className="words">
        {rules.map((rule) => (
          <li key={rule}>
            <Rule rule={rule} checkout={checkout} verified={verified} />
          </li>
        ))}
      </ul>
    </details>
  );
}
