// The payer's rights after funding: release a milestone, confirm receipt, raise a dispute, reclaim the money, close an
// expired dispute, and claim a refund that failed.
import { useRef, useState } from "react";
import { useConfig, useConnection } from "wagmi";
import { getConnectorClient } from "wagmi/actions";
import { useTexts } from "../../i18n/language.tsx";
import { shortHex } from "../../ui/format.ts";
import { useTakeFocus } from "../../ui/take-focus.ts";
import { useNow } from "../../ui/use-now.ts";
import type { Checkout, Order } from "../payment/checkout.ts";
import { nextMilestone } from "../payment/next-milestone.ts";
import { isEarly, listRights, type Right } from "../payment/rights.ts";
import type { Verified } from "../payment/verify.ts";
import { act } from "./act.ts";
import { Connected } from "./connected.tsx";
import type { Wallet } from "./payment-methods.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { RevokeAllowance } from "./revoke-panel.tsx";
import { SilentWallet } from "./silent-wallet.tsx";
import { walletTexts } from "./texts.ts";
import { useQuestion } from "./use-question.ts";
import { useWalletAction } from "./use-wallet-action.ts";
import { WalletCard } from "./wallet-card.tsx";
import { Wallets } from "./wallets.tsx";

type PaymentProps = { checkout: Checkout; verified: Verified };

export function RightsPanel({ checkout, verified }: PaymentProps) {
  const t = useTexts(walletTexts);
  const { address, isConnected } = useConnection();
  const rights = listRights(checkout, verified, useNow());
  const { order, network } = checkout.data;
  if (!order) return null;
  return (
    <WalletCard checkout={checkout} verified={verified} connected={isConnected}>
      {isConnected ? (
        <Connected network={network} chainId={verified.chainId}>
          {address === order.payer ? (
            <>
              <Rights checkout={checkout} verified={verified} order={order} rights={rights} />
              <RevokeAllowance checkout={checkout} verified={verified} />
            </>
          ) : (
            <p className="notice notice-warn">{t("rights.otherAccount", { payer: shortHex(order.payer) })}</p>
          )}
        </Connected>
      ) : (
        <Wallets />
      )}
    </WalletCard>
  );
}

/**
 * Identifies the milestone that a right would release, so that a payer who reads about one milestone does not act on
 * the next.
 */
function describeSubject(right: Right, { checkout, verified }: PaymentProps): string {
  const next = right === "milestone" ? nextMilestone(checkout, verified) : undefined;
  return next ? `${next.cumulative} ${next.amount}` : "";
}

function Rights({ rights, ...shown }: PaymentProps & { order: Order; rights: Right[] }) {
  const t = useTexts(walletTexts);
  const [chosen, setChosen] = useState<{ right: Right; subject: string }>();
  if (chosen && rights.includes(chosen.right) && chosen.subject === describeSubject(chosen.right, shown)) {
    return <Confirmation {...shown} right={chosen.right} onBack={() => setChosen(undefined)} />;
  }
  const early = rights.filter((right) => isEarly(right, shown.order));
  const due = rights.filter((right) => !early.includes(right));
  const choose = (right: Right) => setChosen({ right, subject: describeSubject(right, shown) });
  return (
    <>
      {due.length > 0 && <Choices rights={due} onChoose={choose} />}
      {early.length > 0 && (
        <details className="technical">
          <summary>{t("rights.early")}</summary>
          <Choices rights={early} onChoose={choose} />
        </details>
      )}
    </>
  );
}

function Choices({ rights, onChoose }: { rights: Right[]; onChoose(right: Right): void }) {
  const t = useTexts(walletTexts);
  const first = useRef<HTMLButtonElement>(null);
  useTakeFocus(first);
  return (
    <div className="rights">
      {rights.map((right, index) => (
        <button
          key={right}
          ref={index === 0 ? first : undefined}
          type="button"
          className="button"
          onClick={() => onChoose(right)}
        >
          {t(`${right}.name`)}
        </button>
      ))}
    </div>
  );
}

type Step = "confirm" | "sent";

/** Explains the action before the wallet is opened. */
function Confirmation({
  checkout,
  verified,
  order,
  right,
  onBack,
}: PaymentProps & { order: Order; right: Right; onBack(): void }) {
  const t = useTexts(walletTexts);
  const config = useConfig();
  const { step, problem, run, stop, setStep } = useWalletAction<Step>("unanswered");
  const [isDone, setDone] = useState(false);
  const stage = isDone ? "done" : (step ?? "asked");
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  const question = useQuestion({ checkout, verified, order })[right];
  const heading = useRef<HTMLHeadingElement>(null);
  useTakeFocus(heading, stage === "asked" || stage);

  const start = async () => {
    const noReason = right === "dispute" && reason.trim() === "";
    setMissing(noReason);
    if (noReason) return;
    await run("confirm", async (signal) => {
      const client = (await getConnectorClient(config, { chainId: verified.chainId })) as Wallet;
      await act({
        wallet: client,
        verified,
        right,
        order,
        currency: checkout.data.currency,
        cumulative: nextMilestone(checkout, verified)?.cumulative ?? 0n,
        reason: reason.trim(),
        signal,
        onSent: () => setStep("sent"),
      });
      if (!signal.aborted) setDone(true);
    });
  };

  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <h3 ref={heading} tabIndex={-1}>
        {t(`${right}.name`)}
      </h3>
      <p>{question}</p>
      {right === "dispute" && (
        <div className="field">
          <label htmlFor="reason">{t("dispute.reason")}</label>
          <textarea
            id="reason"
            className="input"
            rows={3}
            maxLength={500}
            value={reason}
            aria-invalid={missing}
            aria-describedby={missing ? "reason-missing" : undefined}
            onChange={({ target }) => setReason(target.value)}
          />
          {missing && (
            <p id="reason-missing" className="small bad" role="alert">
              {t("dispute.missing")}
            </p>
          )}
        </div>
      )}
      {problem && <ProblemNotice problem={problem} about={checkout.data} />}
      {stage === "asked" ? (
        <div className="row">
          <button type="submit" className={`button ${right === "dispute" ? "button-bad" : "button-main"}`}>
            {t(`${right}.do`)}
          </button>
          <button type="button" className="button button-plain" onClick={onBack}>
            {t("back")}
          </button>
        </div>
      ) : (
        <p role="status" className="row">
          {stage !== "done" && <span className="spinner" aria-hidden="true" />}
          {t(`act.${stage}`)}
        </p>
      )}
      <SilentWallet waitsFor={stage === "confirm" ? stage : undefined} text="silent.action" onStop={stop} />
    </form>
  );
}
