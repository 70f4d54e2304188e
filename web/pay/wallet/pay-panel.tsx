// The button that pays: what it will ask of the wallet, what is being waited for, and what went wrong.
import { useState } from "react";
import { useConfig } from "wagmi";
import { getConnectorClient } from "wagmi/actions";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showAmount } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import type { Checkout } from "../checkout.ts";
import { pay as texts } from "../texts.ts";
import type { Verified } from "../verify.ts";
import { type Kept, keptOf } from "./kept.ts";
import { handIn, pay, type Step, tell, type Wallet } from "./pay.ts";
import { type Problem, problemOf } from "./problem.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { wallet } from "./texts.ts";
import { ToBeSigned } from "./to-be-signed.tsx";

type Shown = { checkout: Checkout; verified: Verified };

/** One piece of work at a time, what it waits for, and how it failed. */
function useWork() {
  const [step, setStep] = useState<Step>();
  const [problem, setProblem] = useState<Problem>();
  const run = async (first: Step, work: () => Promise<void>) => {
    setProblem(undefined);
    setStep(first);
    try {
      await work();
    } catch (error) {
      setProblem(problemOf(error));
    }
    setStep(undefined);
  };
  return { step, problem, run, setStep };
}

export function PayPanel({ checkout, verified }: Shown) {
  const t = useTexts(wallet);
  const p = useTexts(texts);
  const locale = useLocale();
  const config = useConfig();
  const { data } = checkout;
  const { step, problem, run, setStep } = useWork();
  const [byTransaction, setByTransaction] = useState(false);
  const kept = keptOf(verified.id);
  const amount = showAmount(verified.terms.amount, data.currency, locale);

  const start = () =>
    run("checking", async () => {
      const client = (await getConnectorClient(config, { chainId: verified.chainId })) as Wallet;
      await pay({ wallet: client, verified, testMode: data.testMode, byTransaction, onStep: setStep });
    });

  if (step === undefined && kept) {
    return <Unfinished kept={kept} verified={verified} run={run} problem={problem} about={data} />;
  }
  return (
    <>
      {data.fundingFailed && !problem && (
        <Notice tone="bad" title={t("problem.funding.title")}>
          {t("problem.funding.text")}
        </Notice>
      )}
      {problem && <ProblemNotice problem={problem} about={data} />}
      <button
        type="button"
        className="button button-main button-big"
        aria-disabled={step !== undefined}
        onClick={() => step === undefined && start()}
      >
        {step !== undefined && <span className="spinner" aria-hidden="true" />}
        {problem ? t("pay.again") : t("pay.button", { amount })}
      </button>
      <p role="status" className="small center">
        {step === undefined ? t(byTransaction ? "pay.transaction" : "pay.signature") : t(`step.${step}`)}
      </p>
      <p className="checked small soft">{p("summary.checked")}</p>
      <ToBeSigned verified={verified} />
      {data.testMode && (
        <button
          type="button"
          className="button button-plain"
          disabled={step !== undefined}
          onClick={() => setByTransaction(!byTransaction)}
        >
          {t(byTransaction ? "pay.bySignature" : "pay.byTransaction")}
        </button>
      )}
    </>
  );
}

function Unfinished({
  kept,
  verified,
  run,
  problem,
  about,
}: {
  kept: Kept;
  verified: Verified;
  run: ReturnType<typeof useWork>["run"];
  problem: Problem | undefined;
  about: Checkout["data"];
}) {
  const t = useTexts(wallet);
  const send = () =>
    run("handing-in", () => (kept.what === "signature" ? handIn(verified, kept) : tell(verified, kept)));
  return (
    <>
      {problem && <ProblemNotice problem={problem} about={about} />}
      <Notice tone="warn">{t(`kept.${kept.what}`)}</Notice>
      <button type="button" className="button button-main button-big" onClick={send}>
        {t("kept.send")}
      </button>
    </>
  );
}
