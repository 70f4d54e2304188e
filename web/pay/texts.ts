// The payment page's texts.
import type { Catalogue } from "../i18n/translate.ts";

export const pay = {
  title: { en: "Payment", de: "Zahlung" },
  "unknown.title": { en: "There is no such payment", de: "Diese Zahlung gibt es nicht" },
  "unknown.text": {
    en: "The address of this page names no payment. Ask whoever sent you here for a new link.",
    de: "Die Adresse dieser Seite nennt keine Zahlung. Bitten Sie um einen neuen Link.",
  },
} as const satisfies Catalogue;
