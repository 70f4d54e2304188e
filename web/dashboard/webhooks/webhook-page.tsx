// The page of one webhook endpoint. Users can send a test event, rotate the secret, enable or disable the endpoint, and
// redeliver events from its log.
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { PageQuery } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { showToast } from "../../ui/toast.tsx";
import { developers } from "../developers/texts.ts";
import { useActionWords } from "../parts/action-texts.ts";
import { type Asking, ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Freshness } from "../parts/freshness.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { OverlapChoice, readOverlap } from "../parts/overlap.tsx";
import { Problem } from "../parts/problem.tsx";
import { ShownOnce } from "../parts/secret.tsx";
import { statusTexts } from "../parts/status-texts.ts";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useTitle } from "../parts/use-title.ts";
import { type Call, useApi, useIsAllowed, useSigned } from "../session/session.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
import { EventPicker, readEvents } from "./event-picker.tsx";

export function WebhookPage() {
  const { id } = useParams({ from: "/webhooks/$id" });
  return <Webhook key={id} id={id} />;
}

function Webhook({ id }: { id: string }) {
  const t = useTexts(dashboard);
  const e = useTexts(developers);
  const s = useTexts(statusTexts);
  const { api, mode } = useSigned();
  const canSend = useIsAllowed("write");
  const isAdmin = useIsAllowed("configure");
  const queries = useQueryClient();
  const navigate = useNavigate();
  const name = `webhook endpoint ${id}`;
  const query = useApi(name, ({ webhookEndpoints }) => webhookEndpoints.retrieve(id), [id]);
  const endpoint = query.data;
  const [secret, setSecret] = useState<string>();
  const [asking, setAsking] = useState<Asking>();
  const [problem, setProblem] = useState<Error | null>(null);
  useTitle(t("webhooks.title"));
  /** @returns whether the call succeeded; the page shows errors */
  const act = async (call: Call<unknown>): Promise<boolean> => {
    let refused: Error | null = null;
    try {
      await api(call);
    } catch (error) {
      refused = error as Error;
    }
    setProblem(refused);
    await queries.invalidateQueries();
    return refused === null;
  };
  /** Shows the new status optimistically. The user can undo the change with one click. */
  const turn = async (status: "enabled" | "disabled"): Promise<void> => {
    queries.setQueryData([mode, name], { ...endpoint, status });
    if (!(await act((gateway) => gateway.webhookEndpoints.update(id, { status })))) return;
    const back = status === "enabled" ? "disabled" : "enabled";
    showToast(e(`endpoint.${status}`), { label: e("undo"), run: () => void turn(back) });
  };
  const rotate: Asking = {
    title: t("webhooks.rotate.title"),
    text: t("webhooks.rotate.text"),
    action: t("webhooks.rotate"),
    fields: <OverlapChoice label={t("webhooks.overlap")} />,
    run: async (form) => {
      const { secret } = await api((gateway) => gateway.webhookEndpoints.rotateSecret(id, readOverlap(form)));
      setSecret(secret);
    },
  };
  const edit: Asking = {
    title: e("edit.title"),
    text: e("edit.text"),
    action: e("edit.save"),
    fields: endpoint && (
      <>
        <Field name="url" label={t("webhooks.url")} type="url" value={endpoint.url} required />
        <Field name="description" label={t("description")} value={endpoint.description ?? ""} />
        <EventPicker chosen={endpoint.enabledEvents} />
      </>
    ),
    run: async (form) => {
      const enabledEvents = readEvents(form, e("events.none"));
      const description = String(form.get("description")) || null;
      const body = { url: String(form.get("url")), description, enabledEvents };
      await api((gateway) => gateway.webhookEndpoints.update(id, body));
      await queries.invalidateQueries();
    },
  };
  const remove: Asking = {
    title: t("webhooks.delete.title"),
    text: t("webhooks.delete.text"),
    action: t("webhooks.delete"),
    bad: true,
    run: async () => {
      await api((gateway) => gateway.webhookEndpoints.delete(id));
      await navigate({ to: "/webhooks", replace: true });
      await queries.invalidateQueries();
    },
  };
  const on = endpoint?.status === "enabled";
  return (
    <>
      <p>
        <Link to="/webhooks">← {t("webhooks.all")}</Link>
      </p>
      <h1 className="row">
        <span>{endpoint?.url ?? t("webhooks.title")}</span>
        {endpoint && <StatusTag status={endpoint.status}>{s(`endpoint.${endpoint.status}`)}</StatusTag>}
      </h1>
      <Freshness query={query} />
      <Problem error={problem} />
      {secret !== undefined && (
        <ShownOnce title={t("webhooks.secret")} secret={secret} done={() => setSecret(undefined)} />
      )}
      {endpoint && (
        <>
          {canSend && (
            <div className="row">
              <button
                type="button"
                className="button button-main"
                disabled={!on}
                onClick={async () => {
                  const isSent = await act((gateway) => gateway.webhookEndpoints.sendTestEvent(id));
                  if (isSent) showToast(e("test.sent"));
                }}
              >
                {t("webhooks.test")}
              </button>
              {isAdmin && (
                <>
                  <button type="button" className="button" onClick={() => setAsking(edit)}>
                    {e("edit")}
                  </button>
                  <button type="button" className="button" onClick={() => setAsking(rotate)}>
                    {t("webhooks.rotate")}
                  </button>
                  <button
                    type="button"
                    className="button"
                    onClick={() => void turn(on ? "disabled" : "enabled")}
                  >
                    {t(on ? "webhooks.disable" : "webhooks.enable")}
                  </button>
                  <button type="button" className="button button-bad" onClick={() => setAsking(remove)}>
                    {t("webhooks.delete")}
                  </button>
                </>
              )}
            </div>
          )}
          <h2>{t("webhooks.deliveries")}</h2>
          <Log
            id={id}
            again={async (delivery) => {
              const isAccepted = await act((gateway) => gateway.webhookEndpoints.redeliver(id, delivery));
              if (isAccepted) showToast(t("webhooks.again.done"));
            }}
          />
        </>
      )}
      {asking && <ConfirmDialog asking={asking} close={() => setAsking(undefined)} />}
    </>
  );
}

function Log({ id, again }: { id: string; again(delivery: string): Promise<void> }) {
  const t = useTexts(dashboard);
  const s = useTexts(statusTexts);
  const e = useTexts(developers);
  const words = useActionWords();
  const canSend = useIsAllowed("write");
  const [running, setRunning] = useState<string>();
  const [shown, setShown] = useState<string>();
  const deliver = async (delivery: string) => {
    setRunning(delivery);
    await again(delivery);
    setRunning(undefined);
  };
  const pages = usePages(
    `deliveries to ${id}`,
    ({ webhookEndpoints }, asked: PageQuery) => webhookEndpoints.listDeliveries(id, asked),
    useSearch({ from: "/webhooks/$id" }),
    [id],
  );
  const detailed = pages.rows.find((delivery) => delivery.id === shown);
  return (
    <>
      {detailed && <DeliveryDetails delivery={detailed} close={() => setShown(undefined)} />}
      <ListTable
        caption={t("webhooks.deliveries")}
        empty={t("webhooks.noDeliveries")}
        pages={pages}
        columns={[
          {
            name: t("what"),
            show: ({ eventType }) => (
              <>
                {words(eventType)} <code className="small soft">{eventType}</code>
              </>
            ),
          },
          {
            name: t("status"),
            show: ({ status, attempts, nextAttempt }) =>
              status === "pending" && attempts.length > 0 ? (
                <>
                  <StatusTag status="failed">{t("webhooks.retrying")}</StatusTag>{" "}
                  <span className="soft small">
                    {t("webhooks.next")} <Moment at={nextAttempt} />
                  </span>
                </>
              ) : (
                <StatusTag status={status}>{s(`webhookDelivery.${status}`)}</StatusTag>
              ),
          },
          { name: t("webhooks.attempts"), show: ({ attempts }) => attempts.length },
          {
            name: t("webhooks.last"),
            show: ({ attempts }) => attempts.at(-1)?.statusCode ?? attempts.at(-1)?.error ?? "–",
          },
          { name: t("time"), show: ({ created }) => <Moment at={created} /> },
          {
            name: t("keys.actions"),
            show: ({ id, eventType }) => (
              <span className="cell-actions">
                <button
                  type="button"
                  className="button button-small"
                  aria-label={`${e("delivery.show")}: ${eventType}`}
                  onClick={() => setShown(id)}
                >
                  {e("delivery.show")}
                </button>
                {canSend && (
                  <button
                    type="button"
                    className="button button-small"
                    aria-label={`${t("webhooks.again")}: ${eventType}`}
                    disabled={running === id}
                    onClick={() => void deliver(id)}
                  >
                    {t(running === id ? "webhooks.again.running" : "webhooks.again")}
                  </button>
                )}
              </span>
            ),
          },
        ]}
      />
    </>
  );
}
