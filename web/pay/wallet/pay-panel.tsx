// The pay button: what the wallet will be asked for, the current step, and errors.
import { useRef, useState } from "react";
import { isAddressEqual, zeroAddress } from "viem";
import { useConnection } from "wagmi";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { shortHex, showAmount } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { useTakeFocus } from "../../ui/take-focus.ts";
import type { Checkout } from "../checkout.ts";
import { pay as texts } from "../texts.ts";
import type { Verified } from "../verify.ts";
import { CostsTable, missing, useCosts } from "./costs.tsx";
import { pay, type Step } from "./pay.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { SilentWallet } from "./silent-wallet.tsx";
import { wallet } from "./texts.ts";
import { ToBeSigned } from "./to-be-signed.tsx";
import { useWay } from "./use-way.ts";
import type { Work } from "./use-work.ts";
import type { Way } from "./ways.ts";

/** Steps that wait for the wallet. */
const OF_THE_WALLET: ReadonlySet<Step> = new Set(["approve", "permit", "permit.any", "sign", "send"]);

type Shown = { checkout: Checkout; verified: Verified };

/** What the button will ask the wallet for. */
function listAsks(way: Way | undefined) {
  if (way === undefined) return "pay.either";
  if (way.by === "transaction") return "pay.transaction";
  if (way.method === "DAI_PERMIT") return "pay.signatures.any";
  return way.permit ? "pay.signatures" : "pay.signature";
}

/** If the terms name a payer, other accounts must not sign, because the contract would reject them. */
export function PayPanel({ checkout, verified, work }: Shown & { work: Work<Step> }) {
  const t = useTexts(wallet);
  const { address } = useConnection();
  const { payer } = verified.terms;
  // A signature would remain usable although nothing can be paid with it now.
  if (!checkout.data.tokenListed) {
    return (
      <Notice tone="warn" title={t("problem.paused.title")}>
        {t("problem.paused.text")}
      </Notice>
    );
  }
  if (payer !== zeroAddress && (address === undefined || !isAddressEqual(address, payer))) {
    return (
      <Notice tone="warn">
        <p>{t("pay.otherPayer", { payer: shortHex(payer) })}</p>
      </Notice>
    );
  }
  return <PayButton checkout={checkout} verified={verified} work={work} />;
}

function PayButton({ checkout, verified, work }: Shown & { work: Work<Step> }) {
  const t = useTexts(wallet);
  const p = useTexts(texts);
  const locale = useLocale();
  const { data } = checkout;
  const { step, problem, run, stop, setStep } = work;
  const [byTransaction, setByTransaction] = useState(false);
  const amount = showAmount(verified.terms.amount, data.currency, locale);

  const { way, isSought, walletOf, showWay } = useWay({ checkout, verified, byTransaction });
  const idle = step === undefined && !isSought;
  const costs = useCosts({ checkout, verified }, way, walletOf);
  const lacks = step === undefined && !problem ? missing(costs, verified) : undefined;
  const button = useRef<HTMLButtonElement>(null);
  useTakeFocus(button);
  // Shows an unlimited permit before its button can be clicked.
  const allowsAny = way?.by === "signature" && way.method === "DAI_PERMIT";

  const start = () =>
    run("checking", async (signal) => {
      await pay({
        signal,
        wallet: await walletOf(),
        verified,
        testMode: data.testMode,
        offers: data.fundingMethods,
        byTransaction,
        shown: way,
        onStep: setStep,
        onWay: showWay,
      });
    });

  return (
    <>
      {data.fundingFailed && !problem && (
        <Notice tone="bad" title={t("problem.funding.title")}>
          {t("problem.funding.text")}
        </Notice>
      )}
      {problem && <ProblemNotice problem={problem} about={data} />}
      {lacks && <ProblemNotice problem={lacks} about={data} />}
      <CostsTable checkout={checkout} verified={verified} costs={costs} />
      {allowsAny && (
        <Notice tone="warn" title={t("pay.any.title", { currency: data.currency })}>
          {t("pay.any.text", { amount })}
        </Notice>
      )}
      <div className={allowsAny ? "" : "action-bar"}>
        <button
          ref={button}
          type="button"
          className="button button-main button-big"
          aria-disabled={!idle}
          onClick={() => idle && start()}
        >
          {step !== undefined && <span className="spinner" aria-hidden="true" />}
          {problem && problem.kind !== "changed" ? t("pay.again") : t("pay.button", { amount })}
        </button>
      </div>
      <SilentWallet
        waitsFor={step !== undefined && OF_THE_WALLET.has(step) ? step : undefined}
        text="silent.text"
        onStop={stop}
      />
      <p role="status" className="small center">
        {step === undefined ? t(listAsks(way)) : t(`step.${step}`)}
      </p>
      <p className="checked small soft">{p("summary.checked")}</p>
      <ToBeSigned way={way} checkout={checkout} verified={verified} />
      {(byTransaction || way?.by !== "transaction") && (
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
