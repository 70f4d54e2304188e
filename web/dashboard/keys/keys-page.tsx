// Creates API keys (a secret is shown only once), rotates them with an overlap, and revokes them.
import { useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { PageQuery, Schemas } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { type Asking, ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { OverlapChoice, readOverlap } from "../parts/overlap.tsx";
import { Problem } from "../parts/problem.tsx";
import { ShownOnce } from "../parts/secret.tsx";
import { statusTexts } from "../parts/status-texts.ts";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useAttempt } from "../parts/use-attempt.ts";
import { useTitle } from "../parts/use-title.ts";
import { kinds, useIsAllowed, useSigned } from "../session/session.tsx";

type Key = Schemas["ApiKey"];
type Made = Schemas["ApiKeyWithSecret"];

const ACCESS = ["full", "no_release", "read_only"] as const;

export function KeysPage() {
  const t = useTexts(dashboard);
  const queries = useQueryClient();
  const isAdmin = useIsAllowed("configure");
  const [made, setMade] = useState<Made>();
  const [asking, setAsking] = useState<Asking>();
  useTitle(t("keys.title"));
  const changed = (key?: Made) => {
    if (key) setMade(key);
    return queries.invalidateQueries();
  };
  return (
    <>
      <h1>{t("keys.title")}</h1>
      {made && <ShownOnce title={t("keys.made")} secret={made.secret} done={() => setMade(undefined)} />}
      {isAdmin ? <CreateKey made={changed} /> : <p className="soft">{t("role.admins")}</p>}
      <Keys ask={setAsking} changed={changed} />
      {asking && <ConfirmDialog asking={asking} close={() => setAsking(undefined)} />}
    </>
  );
}

function CreateKey({ made }: { made(key: Made): Promise<void> }) {
  const t = useTexts(dashboard);
  const { api } = useSigned();
  // `made` refetches the data.
  const { error, attempt } = useAttempt({ refetches: false });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const target = event.currentTarget;
    const form = new FormData(target);
    const name = String(form.get("name") ?? "").trim();
    const access = form.get("access") as (typeof ACCESS)[number];
    void attempt(async () => {
      await made(
        await api((gateway) => gateway.apiKeys.create({ access, ...(name === "" ? {} : { name }) })),
      );
      target.reset();
    });
  };
  return (
    <form className="card create" aria-label={t("keys.create")} onSubmit={submit}>
      <Field name="name" label={t("name")} />
      <Choice
        name="access"
        label={t("keys.access")}
        options={ACCESS}
        words={(one) => t(`keys.${one as (typeof ACCESS)[number]}`)}
        any={false}
      />
      <button type="submit" className="button button-main">
        {t("keys.create")}
      </button>
      <Problem error={error} />
    </form>
  );
}

function Keys({ ask, changed }: { ask(asking: Asking): void; changed(key?: Made): Promise<void> }) {
  const t = useTexts(dashboard);
  const s = useTexts(statusTexts);
  const { api } = useSigned();
  const isAdmin = useIsAllowed("configure");
  const pages = usePages(
    "api-keys",
    ({ apiKeys }, asked: PageQuery) => apiKeys.list(asked),
    useSearch({ from: "/keys" }),
    kinds("api_key"),
  );
  const rotate = ({ id, hint }: Key): Asking => ({
    title: t("keys.rotate.title", { key: hint }),
    text: t("keys.rotate.text"),
    action: t("keys.rotate"),
    fields: <OverlapChoice label={t("keys.overlap")} />,
    run: async (form) => changed(await api((gateway) => gateway.apiKeys.rotate(id, readOverlap(form)))),
  });
  const revoke = ({ id, hint }: Key): Asking => ({
    title: t("keys.revoke.title", { key: hint }),
    text: t("keys.revoke.text"),
    action: t("keys.revoke"),
    bad: true,
    run: async () => {
      await api((gateway) => gateway.apiKeys.revoke(id));
      await changed();
    },
  });
  const button = (key: Key, asking: (key: Key) => Asking, name: string) => (
    <button
      type="button"
      className="button button-small"
      aria-label={`${name}: ${key.name ?? key.hint}`}
      onClick={() => ask(asking(key))}
    >
      {name}
    </button>
  );
  return (
    <ListTable
      caption={t("keys.title")}
      empty={t("keys.empty")}
      pages={pages}
      columns={[
        { name: t("keys.key"), show: ({ hint }) => <code className="key-hint">{hint}</code> },
        { name: t("name"), show: ({ name }) => name ?? "–" },
        { name: t("keys.access"), show: ({ access }) => t(`keys.${access}`) },
        {
          name: t("status"),
          show: ({ state }) => <StatusTag status={state}>{s(`key.${state}`)}</StatusTag>,
        },
        { name: t("keys.lastUsed"), show: ({ lastUsed }) => <Moment at={lastUsed} /> },
        { name: t("keys.expires"), show: ({ expires }) => <Moment at={expires} /> },
        ...(isAdmin
          ? [
              {
                name: t("keys.actions"),
                show: (key: Key) =>
                  key.state === "active" || key.state === "ending" ? (
                    <span className="cell-actions">
                      {key.replacedBy === null && button(key, rotate, t("keys.rotate"))}
                      {button(key, revoke, t("keys.revoke"))}
                    </span>
                  ) : (
                    "–"
                  ),
              },
            ]
          : []),
      ]}
    />
  );
}
