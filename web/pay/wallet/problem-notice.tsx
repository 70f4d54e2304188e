// Explains what went wrong and what to do next.
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showAmount, showMoment } from "../../ui/format.ts";
import { HexValue } from "../../ui/hex.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { Checkout } from "../payment/checkout.ts";
import { transactionLink } from "../payment/explorer.ts";
import type { Problem } from "./problem.ts";
import { walletTexts } from "./texts.ts";

type About = Pick<Checkout["data"], "network" | "currency">;

function useWords(problem: Problem, about: About | undefined): { title: string; text: string } {
  const t = useTexts(walletTexts);
  const locale = useLocale();
  const network = about?.network.name ?? "";
  const currency = about?.network.currency ?? "ETH";
  switch (problem.kind) {
    case "balance": {
      const show = (units: bigint) => showAmount(units, about?.currency ?? "USDC", locale);
      return {
        title: t("problem.balance.title"),
        text: t("problem.balance.text", { has: show(problem.has), needs: show(problem.needs), network }),
      };
    }
    case "early":
      return {
        title: t("problem.early.title"),
        text: t("problem.early.text", { date: showMoment(problem.until, locale) }),
      };
    case "gas":
      return {
        title: t("problem.gas.title", { currency }),
        text: t("problem.gas.text", { currency, network }),
      };
    case "wrongNetwork":
      return {
        title: t("problem.wrongNetwork.title"),
        text: t("problem.wrongNetwork.text", { network }),
      };
    case "refused":
    case "other":
      return {
        title: t(`problem.${problem.kind}.title`),
        text: t(`problem.${problem.kind}.text`, { message: problem.message }),
      };
    default:
      return { title: t(`problem.${problem.kind}.title`), text: t(`problem.${problem.kind}.text`) };
  }
}

/** Problems that are not failures: the payer chose them, or must read something first. */
const MILD: ReadonlySet<Problem["kind"]> = new Set(["rejected", "changed", "outdated"]);

export function ProblemNotice({ problem, about }: { problem: Problem; about?: About }) {
  const { title, text } = useWords(problem, about);
  const hash = problem.kind === "reverted" ? problem.hash : undefined;
  return (
    <Notice tone={MILD.has(problem.kind) ? "warn" : "bad"} title={title}>
      <p>{text}</p>
      {hash !== undefined && <HexValue value={hash} href={about && transactionLink(about.network, hash)} />}
    </Notice>
  );
}
