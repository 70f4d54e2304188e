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
import { pay, type Wallet } from "./pay.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { wallet } from "./texts.ts";
import { ToBeSigned } from "./to-be-signed.tsx";
import type { Work } from "./use-work.ts";

type Shown = { checkout: Checkout; verified: Verified };

export function PayPanel({ checkout, verified, work }: Shown & { work: Work }) {
  const t = useTexts(wallet);
  const p = useTexts(texts);
  const locale = useLocale();
  const config = useConfig();
  const { data } = checkout;
  const { step, problem, run, setStep } = work;
  const [byTransaction, setByTransaction] = useState(false);
  const amount = showAmount(verified.terms.amount, data.currency, locale);

  const asks = byTransaction ? "pay.transaction" : data.testMode ? "pay.signature" : "pay.either";

  const start = () =>
    run("checking", async () => {
      const client = (await getConnectorClient(config, { chainId: verified.chainId })) as Wallet;
      await pay({ wallet: client, verified, testMode: data.testMode, byTransaction, onStep: setStep });
    });

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
        {step === undefined ? t(asks) : t(`step.${step}`)}
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
