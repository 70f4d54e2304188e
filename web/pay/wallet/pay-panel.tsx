// The payment panel: costs, errors, the pay button and the upcoming wallet request.
import { useRef, useState } from "react";
import { isAddressEqual, zeroAddress } from "viem";
import { useConnection } from "wagmi";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { shortHex, showAmount } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { useTakeFocus } from "../../ui/take-focus.ts";
import type { Checkout } from "../payment/checkout.ts";
import { pay as texts } from "../payment/texts.ts";
import type { Verified } from "../payment/verify.ts";
import { CostsTable, findShortfall, useCosts } from "./costs.tsx";
import { pay, type Step } from "./pay.ts";
import type { PaymentMethod } from "./payment-methods.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { SilentWallet } from "./silent-wallet.tsx";
import { walletTexts } from "./texts.ts";
import { ToBeSigned } from "./to-be-signed.tsx";
import { usePaymentMethod } from "./use-payment-method.ts";
import type { WalletAction } from "./use-wallet-action.ts";

/** Steps that wait for the wallet. */
const WALLET_STEPS: ReadonlySet<Step> = new Set(["approve", "permit", "permit.any", "sign", "send"]);

type PaymentProps = { checkout: Checkout; verified: Verified };

/** Returns the key of the text that describes the upcoming wallet request. */
function walletRequestTextKey(paymentMethod: PaymentMethod | undefined) {
  if (paymentMethod === undefined) return "pay.either";
  if (paymentMethod.by === "transaction") return "pay.transaction";
  if (paymentMethod.method === "DAI_PERMIT") return "pay.signatures.any";
  return paymentMethod.permit ? "pay.signatures" : "pay.signature";
}

/**
 * If the terms name a payer, other accounts cannot pay. The contract would reject their signatures and transactions.
 */
export function PayPanel({ checkout, verified, action }: PaymentProps & { action: WalletAction<Step> }) {
  const t = useTexts(walletTexts);
  const { address } = useConnection();
  const { payer } = verified.terms;
  // Requests no signature while the token is delisted. The signature could not be used now, but would stay valid if the
  // token is listed again.
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
  return <PayButton checkout={checkout} verified={verified} action={action} />;
}

function PayButton({ checkout, verified, action }: PaymentProps & { action: WalletAction<Step> }) {
  const t = useTexts(walletTexts);
  const p = useTexts(texts);
  const locale = useLocale();
  const { data } = checkout;
  const { step, problem, run, stop, setStep } = action;
  const [byTransaction, setByTransaction] = useState(false);
  const amount = showAmount(verified.terms.amount, data.currency, locale);

  const { paymentMethod, isLoading, loadWallet, showPaymentMethod } = usePaymentMethod({
    checkout,
    verified,
    byTransaction,
  });
  const idle = step === undefined && !isLoading;
  const costs = useCosts({ checkout, verified }, paymentMethod, loadWallet);
  const shortfall = step === undefined && !problem ? findShortfall(costs, verified) : undefined;
  const button = useRef<HTMLButtonElement>(null);
  useTakeFocus(button);
  const isUnlimitedPermit = paymentMethod?.by === "signature" && paymentMethod.method === "DAI_PERMIT";

  const start = () =>
    run("checking", async (signal) => {
      await pay({
        signal,
        wallet: await loadWallet(),
        verified,
        testMode: data.testMode,
        offers: data.fundingMethods,
        byTransaction,
        shown: paymentMethod,
        onStep: setStep,
        onPaymentMethod: showPaymentMethod,
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
      {shortfall && <ProblemNotice problem={shortfall} about={data} />}
      <CostsTable checkout={checkout} verified={verified} costs={costs} />
      {isUnlimitedPermit && (
        <Notice tone="warn" title={t("pay.any.title", { currency: data.currency })}>
          {t("pay.any.text", { amount })}
        </Notice>
      )}
      {/* For unlimited permits, the button is not fixed to the bottom, so that the payer sees the warning first. */}
      <div className={isUnlimitedPermit ? "" : "action-bar"}>
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
        waitsFor={step !== undefined && WALLET_STEPS.has(step) ? step : undefined}
        text="silent.text"
        onStop={stop}
      />
      <p role="status" className="small center">
        {step === undefined ? t(walletRequestTextKey(paymentMethod)) : t(`step.${step}`)}
      </p>
      <p className="checked small soft">{p("summary.checked")}</p>
      <ToBeSigned paymentMethod={paymentMethod} checkout={checkout} verified={verified} />
      {(byTransaction || paymentMethod?.by !== "transaction") && (
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
