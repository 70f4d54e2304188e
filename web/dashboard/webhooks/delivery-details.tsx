// One delivery: the payload, and the response to each attempt.
import type { Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { showMoment } from "../../ui/format.ts";
import { Loading } from "../../ui/skeleton.tsx";
import { developers } from "../developers/texts.ts";
import { useActionWords } from "../parts/action-texts.ts";
import { Freshness } from "../parts/freshness.tsx";
import { useApi } from "../session/session.tsx";

export function DeliveryDetails({
  delivery,
  close,
}: {
  delivery: Schemas["WebhookDelivery"];
  close(): void;
}) {
  const t = useTexts(developers);
  const words = useActionWords();
  const locale = useLocale();
  const { eventId, eventType, attempts } = delivery;
  const event = useApi(`event ${eventId}`, ({ events }) => events.retrieve(eventId));
  return (
    <Dialog title={words(eventType)} onClose={close}>
      {attempts.length === 0 && <p>{t("delivery.none")}</p>}
      {attempts.map(({ statusCode, error, response, durationMs, created }, index) => (
        <section key={`${created} ${durationMs}`} className="stack-tight">
          <h3>
            {t("delivery.attempt", { number: String(index + 1) })} · {statusCode ?? t("delivery.noAnswer")}
          </h3>
          <p className="small soft">
            {showMoment(created, locale)} · {t("delivery.took", { ms: String(durationMs) })}
          </p>
          <pre className="code">{error ?? (response || t("delivery.empty"))}</pre>
        </section>
      ))}
      <h3>{t("delivery.request")}</h3>
      <Freshness query={event} />
      {event.isPending ? (
        <Loading lines={4} />
      ) : (
        event.data && <pre className="code">{JSON.stringify(event.data, null, 2)}</pre>
      )}
      <div className="row dialog-buttons">
        <Button onClick={close}>{t("close")}</Button>
      </div>
    </Dialog>
  );
}
