// The audit log: who did what.
import { ACTOR_TYPES, type ActorType } from "#core/audit/actors.ts";
import type { Schemas } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { shortHex } from "../../ui/format.ts";
import { Choice, dayOf, Field, Filters } from "../parts/filters.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { useChange } from "../parts/use-change.ts";
import { Link, useAddress, useTitle } from "../router.tsx";
import { dashboard } from "../texts.ts";

type Entry = Schemas["AuditLog"];

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
  return (
    <Filters label={t("audit.filter")} path="/audit" names={["actor", "action"]}>
      <Choice
        name="actor"
        label={t("who")}
        options={ACTOR_TYPES}
        value={query.get("actor")}
        words={(one) => t(`actor.${one as ActorType}`)}
      />
      <Field name="action" label={t("what")} value={query.get("action") ?? ""} />
      <Field name="from" label={t("filter.from")} type="date" value={dayOf(query.get("created[gte]"))} />
    </Filters>
  );
}

function Entries({ query }: { query: URLSearchParams }) {
  const t = useTexts(dashboard);
  const change = useChange();
  const pages = usePages<Entry>("/audit-logs", query);
  return (
    <ListTable
      caption={t("audit.title")}
      empty={t("audit.empty")}
      pages={pages}
      columns={[
        { name: t("time"), show: ({ created }) => <Moment at={created} /> },
        { name: t("what"), show: ({ action }) => action },
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
