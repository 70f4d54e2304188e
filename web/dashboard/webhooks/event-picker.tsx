// Selects which events an endpoint receives: all events or some types.
import { useState } from "react";
import { EVENT_TYPES } from "#core/model/event-data.ts";
import type { Schemas } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { developers } from "../developers/texts.ts";
import { useActionWords } from "../parts/action-texts.ts";

export const EVENT_OBJECTS = [
  "payment_intent",
  "conditional_payment",
  "delivery_proof",
  "dispute",
  "milestone",
  "payout",
  "webhook",
] as const;
const findTypes = (object: string) => EVENT_TYPES.filter((type) => type.startsWith(`${object}.`));

/** @param chosen in the API's format: `*`, kinds such as `payout.*`, or types */
export function EventPicker({ chosen = ["*"] }: { chosen?: readonly string[] }) {
  const t = useTexts(developers);
  const words = useActionWords();
  const [isAll, setAll] = useState(chosen.includes("*"));
  const isChosen = (type: string) => chosen.includes(type) || chosen.includes(`${type.split(".", 1)[0]}.*`);
  return (
    <fieldset className="events">
      <legend>{t("events.choose")}</legend>
      <label className="check">
        <input
          type="checkbox"
          name="events"
          value="*"
          checked={isAll}
          onChange={({ target }) => setAll(target.checked)}
        />
        {t("events.all")}
      </label>
      {!isAll && (
        <div className="event-groups">
          {EVENT_OBJECTS.map((object) => (
            <fieldset key={object} className="event-group">
              <legend>{t(`events.${object}`)}</legend>
              {findTypes(object).map((type) => (
                <label key={type} className="check" title={type}>
                  <input type="checkbox" name="events" value={type} defaultChecked={isChosen(type)} />
                  {words(type)}
                </label>
              ))}
            </fieldset>
          ))}
        </div>
      )}
    </fieldset>
  );
}

/** @returns a function that describes which events an endpoint receives */
export function useEventWords() {
  const t = useTexts(developers);
  const words = useActionWords();
  return (enabled: readonly string[]): string => {
    if (enabled.includes("*")) return t("events.everything");
    const isObject = (kind: string): kind is (typeof EVENT_OBJECTS)[number] =>
      EVENT_OBJECTS.some((one) => one === kind);
    return enabled
      .map((one) => {
        const [kind = ""] = one.split(".", 1);
        return one.endsWith(".*") && isObject(kind)
          ? t("events.ofKind", { kind: t(`events.${kind}`) })
          : words(one);
      })
      .join(", ");
  };
}

type Chosen = NonNullable<Schemas["CreateWebhookEndpoint"]["enabledEvents"]>;

/** Returns the selection in the API's format. @param none the error message for an empty selection */
export function readEvents(form: FormData, none: string): Chosen {
  const chosen = form.getAll("events") as Chosen;
  if (chosen.length === 0) throw new Error(none);
  return chosen.includes("*") ? ["*"] : chosen;
}
