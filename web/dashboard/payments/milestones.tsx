// Lists a payment's milestones in index order. A user with the permission can complete the next one while the
// order is funded and open.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Address } from "viem";
import type { Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal } from "../../ui/format.ts";
import { Loading } from "../../ui/skeleton.tsx";
import { type Asking, ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Freshness } from "../parts/freshness.tsx";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useApi, useIsAllowed, useSigned } from "../session/session.tsx";
import { canComplete } from "./available-actions.ts";
import { Card } from "./card.tsx";

type Milestone = Schemas["Milestone"]["data"];
type Payment = { intent: Schemas["PaymentIntent"]; escrow: Schemas["ConditionalPayment"] };

/** Milestones complete strictly in index order, so none after the first missing index can be completed. */
const findNext = (milestones: Milestone[]): Milestone | undefined =>
  milestones.find(({ status, milestoneIndex }, place) => status === "PENDING" && milestoneIndex === place);

export function Milestones({ intent, escrow }: Payment) {
  const t = useTexts(dashboard);
  const locale = useLocale();
  const { api, session, mode } = useSigned();
  const queries = useQueryClient();
  const query = useApi(`milestones of ${intent.id}`, (gateway) => gateway.milestones.list(intent.id));
  const [asking, setAsking] = useState<Asking>();
  const milestones = (query.data?.data ?? []).map(({ data }) => data);
  const isAllowed = useIsAllowed("release");
  const next = isAllowed && canComplete(intent, escrow.data) ? findNext(milestones) : undefined;
  const formatName = ({ description, milestoneIndex }: Milestone) =>
    description ?? t("milestone.unnamed", { number: milestoneIndex + 1 });
  const formatAmount = ({ amount }: Milestone) => `${showDecimal(amount, locale)} ${intent.data.currency}`;
  const complete = (milestone: Milestone): Asking => ({
    title: t("complete.title", { milestone: formatName(milestone) }),
    text: t("complete.text", { amount: formatAmount(milestone) }),
    action: t("complete.do"),
    fields: (
      <>
        <Field name="completionProof" label={t("complete.proof")} />
        <Field name="completionProofURI" label={t("complete.uri")} />
      </>
    ),
    run: async (form) => {
      const given = [...form].filter(([, value]) => String(value).trim() !== "");
      const body = { completedBy: session.networks[mode]?.account as Address, ...Object.fromEntries(given) };
      await api((gateway) => gateway.milestones.complete(intent.id, milestone.id, body));
      await queries.invalidateQueries();
    },
  });
  return (
    <Card title={t("payment.milestones")}>
      <Freshness query={query} />
      {query.isPending && <Loading lines={2} />}
      {query.data?.data.length === 0 && <p className="soft">{t("payment.none")}</p>}
      <ol className="timeline">
        {milestones.map((milestone) => (
          <li key={milestone.id}>
            <span className="row">
              <strong>{formatName(milestone)}</strong>
              <StatusTag status={milestone.status}>{t(`milestone.${milestone.status}`)}</StatusTag>
            </span>
            <span className="small soft number">{formatAmount(milestone)}</span>
            {milestone === next && (
              <span>
                <button
                  type="button"
                  className="button button-small"
                  aria-label={`${t("complete.action")}: ${formatName(milestone)}`}
                  onClick={() => setAsking(complete(milestone))}
                >
                  {t("complete.action")}
                </button>
              </span>
            )}
          </li>
        ))}
      </ol>
      {asking && <ConfirmDialog asking={asking} close={() => setAsking(undefined)} />}
    </Card>
  );
}
