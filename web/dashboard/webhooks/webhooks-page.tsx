// The merchant's webhook endpoints.
import { Link, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { PageQuery } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { developers } from "../developers/texts.ts";
import { Field } from "../parts/field.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { Problem } from "../parts/problem.tsx";
import { ShownOnce } from "../parts/secret.tsx";
import { statusTexts } from "../parts/status-texts.ts";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useAttempt } from "../parts/use-attempt.ts";
import { useTitle } from "../parts/use-title.ts";
import { kinds, useIsAllowed, useSigned } from "../session/session.tsx";
import { EventPicker, readEvents, useEventWords } from "./event-picker.tsx";

export function WebhooksPage() {
  const t = useTexts(dashboard);
  const e = useTexts(developers);
  const s = useTexts(statusTexts);
  const inWords = useEventWords();
  const { api } = useSigned();
  const isAdmin = useIsAllowed("configure");
  const [secret, setSecret] = useState<string>();
  const { error, attempt } = useAttempt();
  const pages = usePages(
    "webhook-endpoints",
    ({ webhookEndpoints }, asked: PageQuery) => webhookEndpoints.list(asked),
    useSearch({ from: "/webhooks" }),
    kinds("webhook_endpoint"),
  );
  useTitle(t("webhooks.title"));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    const { url = "", description } = Object.fromEntries(given) as Record<string, string>;
    void attempt(async () => {
      const enabledEvents = readEvents(given, e("events.none"));
      const body = { url, enabledEvents, ...(description ? { description } : {}) };
      const made = await api((gateway) => gateway.webhookEndpoints.create(body));
      setSecret(made.secret);
      form.reset();
    });
  };
  return (
    <>
      <h1>{t("webhooks.title")}</h1>
      {secret !== undefined && (
        <ShownOnce title={t("webhooks.secret")} secret={secret} done={() => setSecret(undefined)} />
      )}
      {isAdmin ? (
        <form className="card create create-picker" aria-label={t("webhooks.create")} onSubmit={submit}>
          <Field name="url" label={t("webhooks.url")} type="url" required />
          <Field name="description" label={t("description")} />
          <EventPicker key={secret} />
          <button type="submit" className="button button-main">
            {t("webhooks.create")}
          </button>
          <Problem error={error} />
        </form>
      ) : (
        <p className="soft">{t("role.admins")}</p>
      )}
      <ListTable
        caption={t("webhooks.title")}
        empty={t("webhooks.empty")}
        pages={pages}
        columns={[
          {
            name: t("webhooks.url"),
            show: ({ id, url }) => (
              <Link to="/webhooks/$id" params={{ id }}>
                {url}
              </Link>
            ),
          },
          { name: t("description"), show: ({ description }) => description ?? "–" },
          { name: t("webhooks.events"), show: ({ enabledEvents }) => inWords(enabledEvents) },
          {
            name: t("status"),
            show: ({ status }) => <StatusTag status={status}>{s(`endpoint.${status}`)}</StatusTag>,
          },
          { name: t("created"), show: ({ created }) => <Moment at={created} /> },
        ]}
      />
    </>
  );
}
