// What a merchant can do with a payment now. Whether it is allowed, the API decides; each is asked for once more.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "#core/client/client.ts";
import { useTexts } from "../../i18n/language.tsx";
import { type Asking, ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Choice, Field } from "../parts/filters.tsx";
import { useSigned } from "../session.tsx";
import { dashboard } from "../texts.ts";

const OUTCOMES = ["BUYER_WON", "MERCHANT_WON", "PARTIAL_REFUND"] as const;
const UNFUNDED = ["INITIATED", "REQUIRES_SIGNATURE"];
const HELD = ["PENDING", "SHIPPED", "DELIVERED", "DISPUTED"];

type Payment = {
  intent: Schemas["PaymentIntent"];
  escrow: Schemas["ConditionalPayment"] | undefined;
};

function useActions({ intent, escrow }: Payment): Asking[] {
  const t = useTexts(dashboard);
  const { api, session } = useSigned();
  const queries = useQueryClient();
  const path = `/payment-intents/${intent.id}`;
  const post = async (end: string, body: object = {}) => {
    await api(`${path}/${end}`, body);
    await queries.invalidateQueries();
  };
  const plain = (name: "release" | "refund" | "cancel", end: string): Asking => ({
    title: t(`${name}.title`),
    text: t(`${name}.text`),
    action: t(`${name}.action`),
    bad: name !== "release",
    run: () => post(end),
  });
  if (UNFUNDED.includes(intent.status)) return [plain("cancel", "cancel")];
  const data = escrow?.data;
  if (intent.status !== "SUCCEEDED" || !data || !HELD.includes(data.orderStatus)) return [];
  if (data.settlementStatus === "SCHEDULED") return [];
  const dispute: Asking = {
    title: t("dispute.title"),
    text: t("dispute.text"),
    action: t("dispute.action"),
    fields: <Field name="reason" label={t("dispute.reason")} required />,
    run: (form) => post("escrow/dispute", { reason: form.get("reason"), raisedBy: session.merchant.account }),
  };
  const resolve: Asking = {
    title: t("resolve.title"),
    text: t("resolve.text"),
    action: t("resolve.action"),
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
    run: (form) => {
      const merchantAmount = String(form.get("merchantAmount") ?? "").trim();
      return post("escrow/dispute/resolve", {
        outcome: form.get("outcome"),
        ...(merchantAmount === "" ? {} : { merchantAmount }),
      });
    },
  };
  const release = data.orderStatus === "DELIVERED" ? [plain("release", "escrow/release")] : [];
  return [...release, plain("refund", "escrow/refund"), data.orderStatus === "DISPUTED" ? resolve : dispute];
}

export function Actions(payment: Payment) {
  const t = useTexts(dashboard);
  const actions = useActions(payment);
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
