// Tests that every status and release type of the API has a text in each language, and that no text belongs to a removed
// value. Phases have no text, because the dashboard does not show them.
import { expect, test } from "bun:test";
import document from "../../../docs/openapi.json" with { type: "json" };
import { LANGUAGES } from "../../i18n/translate.ts";
import { statusTexts } from "./status-texts.ts";

const { schemas } = document.components;

const OF_THE_API: Record<string, string[]> = {
  intent: schemas.PaymentIntentStatus.enum,
  order: schemas.ConditionalPaymentData.properties.orderStatus.enum,
  release: schemas.ReleaseType.enum,
  settlement: schemas.Settlement.properties.status.enum,
  webhookDelivery: schemas.WebhookDelivery.properties.status.enum,
  endpoint: schemas.WebhookEndpoint.properties.status.enum,
  key: schemas.ApiKey.properties.state.enum,
};

test("the API's statuses and their texts match in every language", () => {
  const wanted = Object.entries(OF_THE_API).flatMap(([what, all]) =>
    all.map((status) => `${what}.${status}`),
  );
  expect(Object.keys(statusTexts).sort()).toEqual(wanted.sort());
  for (const [key, texts] of Object.entries(statusTexts)) {
    for (const language of LANGUAGES) expect(texts[language], `${key} ${language}`).toMatch(/\p{L}/u);
  }
});
