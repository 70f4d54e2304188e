// Events: changes to payments and their webhook deliveries.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Query, Schemas } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { shortHex } from "../../ui/format.ts";
import { developers } from "../developers/texts.ts";
import { useActionWords } from "../parts/action-texts.ts";
import { ChipChoice } from "../parts/chip-choice.tsx";
import { ListTable, usePages } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import type { PageCursor } from "../parts/search-params.ts";
import { dashboard } from "../parts/texts.ts";
import { useTitle } from "../parts/use-title.ts";
import { EVENT_OBJECTS } from "../webhooks/event-picker.tsx";

type Event = Schemas["Event"];

export function EventsPage() {
  const t = useTexts(developers);
  const search = useSearch({ from: "/events" });
  const address = JSON.stringify(search);
  const navigate = useNavigate();
  useTitle(t("events.title"));
  return (
    <>
      <h1>{t("events.title")}</h1>
      <p className="soft">{t("events.text")}</p>
      <search className="row chips" aria-label={t("events.filter")}>
        <ChipChoice
          label={t("events.kind")}
          options={EVENT_OBJECTS}
          words={(kind) => t(`events.${kind as (typeof EVENT_OBJECTS)[number]}`)}
          value={search.type?.replace(/\.\*$/, "")}
          choose={(kind) => void navigate({ to: "/events", search: kind ? { type: `${kind}.*` } : {} })}
        />
      </search>
      <Events key={address} search={search} />
    </>
  );
}

/** Returns the id of the payment that an event is about. Test events have none. */
function findPaymentId({ data: { object } }: Event): string | undefined {
  if (object.object === "payment_intent") return object.id;
  return "paymentIntentId" in object ? object.paymentIntentId : undefined;
}

function Events({ search }: { search: PageCursor & { type?: string } }) {
  const t = useTexts(developers);
  const d = useTexts(dashboard);
  const words = useActionWords();
  const [shown, setShown] = useState<Event>();
  const pages = usePages("events", ({ events }, asked: Query<"listEvents">) => events.list(asked), search);
  return (
    <>
      {shown && <EventDetails event={shown} close={() => setShown(undefined)} />}
      <ListTable
        caption={t("events.title")}
        empty={t("events.empty")}
        pages={pages}
        columns={[
          { name: d("time"), show: ({ created }) => <Moment at={created} /> },
          {
            name: d("what"),
            show: ({ type }) => (
              <>
                {words(type)} <code className="small soft">{type}</code>
              </>
            ),
          },
          {
            name: d("payment"),
            show: (event) => {
              const id = findPaymentId(event);
              return id === undefined ? (
                "–"
              ) : (
                <Link to="/payments/$id" params={{ id }}>
                  {shortHex(id)}
                </Link>
              );
            },
          },
          {
            name: d("keys.actions"),
            show: (event) => (
              <button
                type="button"
                className="button button-small"
                aria-label={`${t("delivery.show")}: ${event.type}`}
                onClick={() => setShown(event)}
              >
                {t("delivery.show")}
              </button>
            ),
          },
        ]}
      />
    </>
  );
}

function EventDetails({ event, close }: { event: Event; close(): void }) {
  const t = useTexts(developers);
  const words = useActionWords();
  return (
    <Dialog title={words(event.type)} onClose={close}>
      <pre className="code">{JSON.stringify(event, null, 2)}</pre>
      <div className="row dialog-buttons">
        <Button onClick={close}>{t("close")}</Button>
      </div>
    </Dialog>
  );
}
