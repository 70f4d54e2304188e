// Submits a signature or transaction that the payer already provided but the gateway has not received. This requires no
// further wallet request.
import { useTexts } from "../../i18n/language.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { Checkout } from "../payment/checkout.ts";
import type { Verified } from "../payment/verify.ts";
import type { Kept } from "./kept.ts";
import { handIn, reportTransaction, type Step } from "./pay.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { walletTexts } from "./texts.ts";
import type { WalletAction } from "./use-wallet-action.ts";

export function Unfinished({
  kept,
  checkout,
  verified,
  action,
}: {
  kept: Kept;
  checkout: Checkout;
  verified: Verified;
  action: WalletAction<Step>;
}) {
  const t = useTexts(walletTexts);
  const { problem, run } = action;
  const send = () =>
    run("handing-in", () =>
      kept.what === "signature" ? handIn(verified, kept) : reportTransaction(verified, kept),
    );
  return (
    <>
      {problem && <ProblemNotice problem={problem} about={checkout.data} />}
      <Notice tone="warn">{t(`kept.${kept.what}`)}</Notice>
      <button type="button" className="button button-main button-big" onClick={send}>
        {t("kept.send")}
      </button>
    </>
  );
}
