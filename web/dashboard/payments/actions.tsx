// The merchant's actions on a payment. The API decides whether an action is allowed. Each action asks for confirmation.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Hex } from "viem";
import type { Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { shortHex, showDecimal } from "../../ui/format.ts";
import { type Asking, ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { FileHash } from "../parts/file-hash.tsx";
import { dashboard } from "../parts/texts.ts";
import { type Call, useAllowed, useSigned } from "../session/session.tsx";
import { ACTION_PERMISSIONS, type Action, availableActions } from "./available-actions.ts";
import { inEscrow } from "./in-escrow.ts";

const OUTCOMES = ["BUYER_WON", "MERCHANT_WON", "PARTIAL_REFUND"] as const;

type Payment = {
  intent: Schemas["PaymentIntent"];
  escrow: Schemas["ConditionalPayment"] | undefined;
  /** Why the latest payout failed; undefined if it did not fail. */
  failure: string | undefined;
};

const AMOUNT = /^\d+(\.\d+)?$/;

/** Every action, whether or not it is currently possible. */
function useAll({ intent, escrow, failure }: Payment) {
  const t = useTexts(dashboard);
  const { api, session, mode } = useSigned();
  const locale = useLocale();
  const queries = useQueryClient();
  const { id } = intent;
  const act = async (call: Call<unknown>) => {
    await api(call);
    await queries.invalidateQueries();
  };
  const words = (name: Exclude<Action, "refund" | "retry">) => ({
    title: t(`${name}.title`),
    text: t(`${name}.text`),
    action: t(`${name}.action`),
  });
  const readText = (form: FormData, name: string) => String(form.get(name) ?? "").trim();
  /** Optional fields are sent only if they were filled in. */
  const given = (form: FormData, name: string) =>
    readText(form, name) ? { [name]: readText(form, name) } : {};
  const oracle = escrow?.data.deliveryOracle;
  const account = session.networks[mode]?.account;
  const { currency } = intent.data;
  const rest = escrow ? inEscrow(escrow.data, currency) : "0";
  const payer = shortHex(escrow?.data.buyerAddress ?? "");
  const money = (amount: string) => `${showDecimal(amount, locale)} ${currency}`;
  const destination = `…${intent.data.settlementDestination.slice(-4)}`;
  return {
    cancel: { ...words("cancel"), bad: true, run: () => act((gateway) => gateway.paymentIntents.cancel(id)) },
    refund: {
      title: t("refund.title", { payer }),
      text: t("refund.text", { payer, amount: money(rest) }),
      action: t("refund.action"),
      submit: (form) => {
        const amount = readText(form, "amount");
        return AMOUNT.test(amount)
          ? t("refund.submit", { amount: money(amount), payer })
          : t("refund.action");
      },
      fields: <Field name="amount" label={t("refund.amount", { currency })} value={rest} required />,
      bad: true,
      run: (form) =>
        act((gateway) =>
          gateway.escrow.refund(id, {
            amount: readText(form, "amount"),
            ...(escrow ? { refundedAmount: escrow.data.refundedAmount } : {}),
          }),
        ),
    },
    release: {
      ...words("release"),
      submit: () => t("release.submit", { amount: money(rest), destination }),
      run: () => act((gateway) => gateway.escrow.release(id)),
    },
    ship: { ...words("ship"), run: () => act((gateway) => gateway.escrow.markShipped(id)) },
    retry: {
      title: t("retry.title"),
      text:
        failure === undefined ? t("retry.text") : `${t("payout.failure", { failure })} ${t("retry.text")}`,
      action: t("retry.action"),
      submit: () => t("retry.submit", { destination }),
      run: () => act((gateway) => gateway.paymentIntents.retrySettlement(id)),
    },
    evidence: {
      ...words("evidence"),
      fields: (
        <>
          <Field name="statement" label={t("evidence.statement")} required />
          <FileHash name="hash" label={t("evidence.file")} required />
        </>
      ),
      run: (form) =>
        act((gateway) =>
          gateway.paymentIntents.update(id, {
            metadata: {
              disputeStatement: readText(form, "statement"),
              disputeEvidence: `sha256 ${readText(form, "hash")}`,
            },
          }),
        ),
    },
    prove: {
      ...words("prove"),
      fields: (
        <>
          <FileHash name="fileHash" label={t("prove.file")} />
          <Field name="proofHash" label={t("prove.hash")} />
          <Field name="proofURI" label={t("prove.uri")} />
          {oracle !== undefined && <Field name="oracleSignature" label={t("prove.oracle")} />}
        </>
      ),
      run: (form) =>
        act((gateway) =>
          gateway.escrow.submitDeliveryProof(id, {
            proofHash: (readText(form, "fileHash") || readText(form, "proofHash")) as Hex,
            ...given(form, "proofURI"),
            ...given(form, "oracleSignature"),
            submittedBy: (oracle ?? account) as Hex,
          }),
        ),
    },
    dispute: {
      ...words("dispute"),
      fields: (
        <>
          <Field name="reason" label={t("dispute.reason")} required />
          <FileHash name="hash" label={t("evidence.file")} />
        </>
      ),
      run: (form) => {
        const hash = readText(form, "hash");
        const reason = `${readText(form, "reason")}${hash && ` (sha256 ${hash})`}`;
        return act((gateway) => gateway.escrow.raiseDispute(id, { reason, raisedBy: account as Hex }));
      },
    },
    resolve: {
      ...words("resolve"),
      fields: (
        <>
          <Choice
            name="outcome"
            label={t("resolve.outcome")}
            options={OUTCOMES}
            words={(one) => t(`resolve.${one as (typeof OUTCOMES)[number]}`)}
            required
          />
          <Field name="merchantAmount" label={t("resolve.amount")} />
        </>
      ),
      run: (form) =>
        act((gateway) =>
          gateway.escrow.resolveDispute(id, {
            outcome: form.get("outcome") as (typeof OUTCOMES)[number],
            ...given(form, "merchantAmount"),
          }),
        ),
    },
  } satisfies Record<Action, Asking>;
}

export function Actions(payment: Payment) {
  const t = useTexts(dashboard);
  const all: Record<Action, Asking> = useAll(payment);
  const allowed = useAllowed();
  const actions = availableActions(payment.intent, payment.escrow?.data)
    .filter((one) => allowed.includes(ACTION_PERMISSIONS[one]))
    .map((one) => all[one]);
  const [asking, setAsking] = useState<Asking>();
  if (actions.length === 0 && !asking) return null;
  return (
    <section className="row" aria-label={t("payment.actions")}>
      {actions.map((one) => (
        <button
          key={one.action}
          type="button"
          className={`button ${one.bad ? "button-bad" : ""}`}
          onClick={() => setAsking(one)}
        >
          {one.action}
        </button>
      ))}
      {asking && <ConfirmDialog asking={asking} close={() => setAsking(undefined)} />}
    </section>
  );
}
