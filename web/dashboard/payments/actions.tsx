// What a merchant can do with a payment now. Whether it is allowed, the API decides; each is asked for once more.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { type Asking, ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Choice, Field } from "../parts/filters.tsx";
import { useSigned } from "../session.tsx";
import { dashboard } from "../texts.ts";
import { type Action, fittingActions } from "./fitting-actions.ts";

const OUTCOMES = ["BUYER_WON", "MERCHANT_WON", "PARTIAL_REFUND"] as const;

type Payment = {
  intent: Schemas["PaymentIntent"];
  escrow: Schemas["ConditionalPayment"] | undefined;
};

/** Every action, whether or not it can be done now. */
function useAll({ intent, escrow }: Payment) {
  const t = useTexts(dashboard);
  const { api, session, mode } = useSigned();
  const queries = useQueryClient();
  const post = async (end: string, body: object = {}) => {
    await api(`/payment-intents/${intent.id}/${end}`, body);
    await queries.invalidateQueries();
  };
  const words = (name: Action) => ({
    title: t(`${name}.title`),
    text: t(`${name}.text`),
    action: t(`${name}.action`),
  });
  const textOf = (form: FormData, name: string) => String(form.get(name) ?? "").trim();
  /** A field that may be left empty is sent only if it was filled in. */
  const given = (form: FormData, name: string) => (textOf(form, name) ? { [name]: textOf(form, name) } : {});
  const oracle = escrow?.data.deliveryOracle;
  const account = session.networks[mode]?.account;
  return {
    cancel: { ...words("cancel"), bad: true, run: () => post("cancel") },
    refund: { ...words("refund"), bad: true, run: () => post("escrow/refund") },
    release: { ...words("release"), run: () => post("escrow/release") },
    ship: { ...words("ship"), run: () => post("escrow/ship") },
    retry: { ...words("retry"), run: () => post("settlement/retry") },
    prove: {
      ...words("prove"),
      fields: (
        <>
          <Field name="proofHash" label={t("prove.hash")} required />
          <Field name="proofURI" label={t("prove.uri")} />
          {oracle !== undefined && <Field name="oracleSignature" label={t("prove.oracle")} />}
        </>
      ),
      run: (form) =>
        post("escrow/delivery-proof", {
          proofHash: textOf(form, "proofHash"),
          ...given(form, "proofURI"),
          ...given(form, "oracleSignature"),
          submittedBy: oracle ?? account,
        }),
    },
    dispute: {
      ...words("dispute"),
      fields: <Field name="reason" label={t("dispute.reason")} required />,
      run: (form) => post("escrow/dispute", { reason: textOf(form, "reason"), raisedBy: account }),
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
            any={false}
          />
          <Field name="merchantAmount" label={t("resolve.amount")} />
        </>
      ),
      run: (form) =>
        post("escrow/dispute/resolve", { outcome: form.get("outcome"), ...given(form, "merchantAmount") }),
    },
  } satisfies Record<Action, Asking>;
}

export function Actions(payment: Payment) {
  const t = useTexts(dashboard);
  const all: Record<Action, Asking> = useAll(payment);
  const actions = fittingActions(payment.intent, payment.escrow?.data).map((one) => all[one]);
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
