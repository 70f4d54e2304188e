// The requests of the account's API keys and their responses, for debugging an integration.
import { Link, useSearch } from "@tanstack/react-router";
import type { Page } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { shortHex } from "../../ui/format.ts";
import { CopyButton } from "../../ui/hex.tsx";
import { developers } from "../developers/texts.ts";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useTitle } from "../parts/use-title.ts";
import { useSigned } from "../session/session.tsx";

/** Long ids in paths. They are shortened, because they would fill three lines. */
const LONG_ID = /\b[a-z]+_[0-9a-f]{32,}\b/g;

type Logged = {
  id: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  requestId: string;
  key: string;
  created: number;
};

export function RequestsPage() {
  const t = useTexts(developers);
  const d = useTexts(dashboard);
  const { ask } = useSigned();
  useTitle(t("requests.title"));
  const pages = usePages(
    "request log",
    (_, asked: Record<string, string>) =>
      ask<Page<Logged>>("GET", `/request-log?${new URLSearchParams(asked)}`),
    useSearch({ from: "/requests" }),
  );
  return (
    <>
      <h1>{t("requests.title")}</h1>
      <p className="soft">{t("requests.text")}</p>
      <ListTable
        caption={t("requests.title")}
        empty={
          <>
            {t("requests.empty")} <Link to="/start">{d("payments.start")}</Link>
          </>
        }
        pages={pages}
        columns={[
          { name: d("time"), show: ({ created }) => <Moment at={created} /> },
          {
            name: t("requests.request"),
            show: ({ method, path }) => (
              <code className="request-path" title={path}>
                {method} {path.replace(LONG_ID, shortHex)}
              </code>
            ),
          },
          {
            name: d("status"),
            show: ({ status }) => (
              <StatusTag status={status < 400 ? "succeeded" : "failed"}>{String(status)}</StatusTag>
            ),
          },
          { name: t("requests.took"), show: ({ durationMs }) => `${durationMs} ms`, number: true },
          { name: d("keys.key"), show: ({ key }) => <code className="key-hint">{key}</code> },
          {
            name: t("requests.id"),
            show: ({ requestId }) => (
              <CopyButton
                value={requestId}
                className="button button-small"
                label={`${t("requests.copy")} ${requestId}`}
              />
            ),
          },
        ]}
      />
    </>
  );
}
