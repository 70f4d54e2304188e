// The audit log: who did what.
import { AUDIT_ACTIONS } from "#core/audit/actions.ts";
import { ACTOR_TYPES, type ActorType } from "#core/audit/actors.ts";
import type { Query } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { shortHex } from "../../ui/format.ts";
import { useActionWords } from "../action-texts.ts";
import { Choice, dayOf, Field, Filters } from "../parts/filters.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { useChange } from "../parts/use-change.ts";
import { Link, useAddress, useTitle } from "../router.tsx";
import { dashboard } from "../texts.ts";

export function AuditPage() {
  const t = useTexts(dashboard);
  const { query } = useAddress();
  useTitle(t("audit.title"));
  return (
    <>
      <h1>{t("audit.title")}</h1>
      <AuditFilters key={String(query)} query={query} />
      <Entries key={`list ${query}`} query={query} />
    </>
  );
}

function AuditFilters({ query }: { query: URLSearchParams }) {
  const t = useTexts(dashboard);
  const words = useActionWords();
  return (
    <Filters label={t("audit.filter")} path="/audit" names={["actor", "action"]}>
      <Choice
        name="actor"
        label={t("who")}
        options={ACTOR_TYPES}
        value={query.get("actor")}
        words={(one) => t(`actor.${one as ActorType}`)}
      />
      <Field name="action" label={t("what")} value={query.get("action") ?? ""} list="audit-actions" />
      <datalist id="audit-actions">
        {AUDIT_ACTIONS.map((action) => (
          <option key={action} value={action}>
            {words(action)}
          </option>
        ))}
      </datalist>
      <Field name="from" label={t("filter.from")} type="date" value={dayOf(query.get("created[gte]"))} />
    </Filters>
  );
}

function Entries({ query }: { query: URLSearchParams }) {
  const t = useTexts(dashboard);
  const change = useChange();
  const words = useActionWords();
  const pages = usePages(
    "audit-logs",
    ({ auditLogs }, asked: Query<"listAuditLogs">) => auditLogs.list(asked),
    query,
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
            id === null ? "–" : <Link to={`/payments/${id}`}>{shortHex(id)}</Link>,
        },
        {
          name: t("audit.change"),
          show: ({ from, to }) => (to === null ? "–" : change(from, to)),
        },
      ]}
    />
  );
}
