// The audit log: who did what.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { AUDIT_ACTIONS } from "#core/audit/actions.ts";
import { ACTOR_TYPES, type ActorType } from "#core/model/actors.ts";
import type { Query } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { shortHex } from "../../ui/format.ts";
import { useActionWords } from "../parts/action-texts.ts";
import { Choice, Field } from "../parts/field.tsx";
import { Filters, formatDay } from "../parts/filters.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import type { PageCursor } from "../parts/search-params.ts";
import { dashboard } from "../parts/texts.ts";
import { useChange } from "../parts/use-change.ts";
import { useTitle } from "../parts/use-title.ts";

export function AuditPage() {
  const t = useTexts(dashboard);
  const search = useSearch({ from: "/audit" });
  const address = JSON.stringify(search);
  useTitle(t("audit.title"));
  return (
    <>
      <h1>{t("audit.title")}</h1>
      <AuditFilters key={address} search={search} />
      <Entries key={`list ${address}`} search={search} />
    </>
  );
}

type Search = PageCursor & { actor?: string; action?: string; "created[gte]"?: string };

function AuditFilters({ search }: { search: Search }) {
  const t = useTexts(dashboard);
  const words = useActionWords();
  const navigate = useNavigate();
  return (
    <Filters
      label={t("audit.filter")}
      names={["actor", "action"]}
      show={(search) => navigate({ to: "/audit", search })}
    >
      <Choice
        name="actor"
        label={t("who")}
        options={ACTOR_TYPES}
        value={search.actor}
        words={(one) => t(`actor.${one as ActorType}`)}
      />
      <Field name="action" label={t("what")} value={search.action} list="audit-actions" />
      <datalist id="audit-actions">
        {AUDIT_ACTIONS.map((action) => (
          <option key={action} value={action}>
            {words(action)}
          </option>
        ))}
      </datalist>
      <Field name="from" label={t("filter.from")} type="date" value={formatDay(search["created[gte]"])} />
    </Filters>
  );
}

function Entries({ search }: { search: Search }) {
  const t = useTexts(dashboard);
  const change = useChange();
  const words = useActionWords();
  const pages = usePages(
    "audit-logs",
    ({ auditLogs }, asked: Query<"listAuditLogs">) => auditLogs.list(asked),
    search,
  );
  return (
    <ListTable
      caption={t("audit.title")}
      empty={t("audit.empty")}
      pages={pages}
      columns={[
        { name: t("time"), show: ({ created }) => <Moment at={created} /> },
        { name: t("what"), show: ({ action }) => <span title={action}>{words(action)}</span> },
        {
          name: t("who"),
          show: ({ actor }) =>
            `${t(`actor.${actor.type}`)}${actor.id === null ? "" : ` ${shortHex(actor.id)}`}`,
        },
        {
          name: t("payment"),
          show: ({ paymentIntentId: id }) =>
            id === null ? (
              "–"
            ) : (
              <Link to="/payments/$id" params={{ id }}>
                {shortHex(id)}
              </Link>
            ),
        },
        {
          name: t("audit.change"),
          show: ({ from, to }) => (to === null ? "–" : change(from, to)),
        },
      ]}
    />
  );
}
