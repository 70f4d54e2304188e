// Lists the payer's unused signature and allowance for a payment, and revokes them.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { maxUint256 } from "viem";
import { useConfig, useConnection } from "wagmi";
import { getConnectorClient } from "wagmi/actions";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showAmount, showMoment } from "../../ui/format.ts";
import { useNow } from "../../ui/use-now.ts";
import { type Checkout, isRevocable, keepsAllowance } from "../payment/checkout.ts";
import type { Verified } from "../payment/verify.ts";
import { Connected } from "./connected.tsx";
import { forget, loadKept } from "./kept.ts";
import type { Wallet } from "./payment-methods.ts";
import { toProblem } from "./problem.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { findRevocations, type Revocation, revoke } from "./revocations.ts";
import { SilentWallet } from "./silent-wallet.tsx";
import { walletTexts } from "./texts.ts";
import { useWalletAction } from "./use-wallet-action.ts";
import { WalletCard } from "./wallet-card.tsx";
import { Wallets } from "./wallets.tsx";

type PaymentProps = { checkout: Checkout; verified: Verified };

/** Shown for a payment that can no longer be paid. */
export function RevokePanel({ checkout, verified }: PaymentProps) {
  const t = useTexts(walletTexts);
  const { isConnected } = useConnection();
  return (
    <WalletCard checkout={checkout} verified={verified} connected={isConnected}>
      {isConnected ? (
        <Connected network={checkout.data.network} chainId={verified.chainId}>
          <Revocations checkout={checkout} verified={verified} emptyText={t("revoke.none")} />
        </Connected>
      ) : (
        <Wallets />
      )}
    </WalletCard>
  );
}

/**
 * A collapsed section below the payment panel. Hidden unless there is something to revoke or something was just revoked.
 */
export function RevokeDetails({ onRevoked, ...props }: PaymentProps & { onRevoked(): void }) {
  return isRevocable(props.checkout) ? <Revocations {...props} onRevoked={onRevoked} /> : null;
}

/** Shown after the payment, because DAI's permit is unlimited and the payment does not use it up. */
export function RevokeAllowance(props: PaymentProps) {
  const t = useTexts(walletTexts);
  if (!keepsAllowance(props.checkout)) return null;
  return (
    <section className="stack-tight" aria-labelledby="revoke">
      <h3 id="revoke">{t("revoke.title")}</h3>
      <Revocations {...props} emptyText={t("revoke.none")} />
    </section>
  );
}

/**
 * Returns the funding method of this account's signature, as stored by this browser or by the gateway. Returns undefined
 * if another account signed, once the order is funded, or once the funding deadline has passed.
 */
function useSignedMethod({ checkout, verified }: PaymentProps) {
  const { address } = useConnection();
  const now = useNow();
  const kept = loadKept(verified.id);
  const signed = kept?.what === "signature" ? kept : checkout.data.signed;
  const { order } = checkout.data;
  const usable = !order && signed?.payer === address && now <= verified.terms.fundingDeadline;
  return usable ? signed?.fundingMethod : undefined;
}

/**
 * @param emptyText shown if there is nothing to revoke. If undefined, the list is collapsed, an empty list is hidden, and
 * load errors are not shown.
 */
function Revocations({
  checkout,
  verified,
  emptyText,
  onRevoked,
}: PaymentProps & { emptyText?: string; onRevoked?(): void }) {
  const t = useTexts(walletTexts);
  const config = useConfig();
  const { address, status } = useConnection();
  const signedMethod = useSignedMethod({ checkout, verified });
  const { fundingMethods: offers } = checkout.data;
  const loadClient = async () => (await getConnectorClient(config, { chainId: verified.chainId })) as Wallet;
  const { data, error, refetch } = useQuery({
    queryKey: ["revocations", verified.id, address, signedMethod],
    enabled: status === "connected",
    queryFn: async () =>
      findRevocations({ wallet: await loadClient(), verified, offers, signed: signedMethod }),
    retry: false,
    gcTime: 0,
  });
  const [done, setDone] = useState<Revocation["method"][]>([]);
  const remaining = data?.filter(({ method }) => !done.includes(method)) ?? [];
  const confirmation = done.length > 0 && <p role="status">{t("revoke.done")}</p>;
  const items = remaining.map((revocation) => (
    <RevocationItem
      key={revocation.method}
      checkout={checkout}
      verified={verified}
      revocation={revocation}
      loadClient={loadClient}
      onDone={() => {
        // After any revocation, the stored signature must not be submitted, even if only the allowance was revoked.
        if (loadKept(verified.id)?.what === "signature") forget(verified.id);
        setDone((before) => [...before, revocation.method]);
        onRevoked?.();
        void refetch();
      }}
    />
  ));
  if (emptyText !== undefined) {
    if (error) return <ProblemNotice problem={toProblem(error)} about={checkout.data} />;
    return (
      <>
        {confirmation}
        {items}
        {data && remaining.length === 0 && done.length === 0 && <p>{emptyText}</p>}
      </>
    );
  }
  if (remaining.length === 0 && done.length === 0) return null;
  return (
    <details className="technical no-print">
      <summary>{t("revoke.title")}</summary>
      <div className="stack">
        {confirmation}
        {items}
      </div>
    </details>
  );
}

type Step = "confirm" | "sent";

function RevocationItem({
  checkout,
  verified,
  revocation,
  loadClient,
  onDone,
}: PaymentProps & { revocation: Revocation; loadClient(): Promise<Wallet>; onDone(): void }) {
  const t = useTexts(walletTexts);
  const locale = useLocale();
  const { step, problem, run, stop, setStep } = useWalletAction<Step>("unanswered");
  const { data } = checkout;
  const { currency } = data;
  const describeRevocation = (): string => {
    if (revocation.method !== "ALLOWANCE") {
      return t(`revoke.${revocation.method}`, { date: showMoment(verified.terms.fundingDeadline, locale) });
    }
    const { allowance } = revocation;
    return allowance === maxUint256
      ? t("revoke.ALLOWANCE.any", { currency })
      : t("revoke.ALLOWANCE", { amount: showAmount(allowance, currency, locale) });
  };

  const start = () =>
    run("confirm", async (signal) => {
      await revoke({ wallet: await loadClient(), verified, signal }, revocation, () => setStep("sent"));
      onDone();
    });

  return (
    <div className="stack-tight">
      <p>{describeRevocation()}</p>
      {problem && <ProblemNotice problem={problem} about={data} />}
      {step === undefined ? (
        <button type="button" className="button" onClick={() => void start()}>
          {t(revocation.method === "ALLOWANCE" ? "revoke.allowance" : "revoke.signature")}
        </button>
      ) : (
        <p role="status" className="row">
          <span className="spinner" aria-hidden="true" />
          {t(`act.${step}`)}
        </p>
      )}
      <SilentWallet waitsFor={step === "confirm" ? step : undefined} text="silent.action" onStop={stop} />
    </div>
  );
}
