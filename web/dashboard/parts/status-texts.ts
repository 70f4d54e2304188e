// Labels for the API's statuses and release types, keyed by `<resource>.<value>`. status-texts.test.ts checks that every
// value has exactly one entry.
import type { Catalogue } from "../../i18n/translate.ts";

export const statusTexts = {
  "intent.INITIATED": { en: "initiated", de: "offen" },
  "intent.REQUIRES_SIGNATURE": { en: "requires signature", de: "wartet auf Unterschrift" },
  "intent.PROCESSING": { en: "processing", de: "wird bestätigt" },
  "intent.SUCCEEDED": { en: "succeeded", de: "eingegangen" },
  "intent.SETTLED": { en: "settled", de: "ausgezahlt" },
  "intent.FINAL": { en: "final", de: "abgeschlossen" },
  "intent.CANCELED": { en: "canceled", de: "storniert" },
  "intent.REQUIRES_ACTION": { en: "requires action", de: "braucht Ihr Eingreifen" },

  "order.PENDING": { en: "in escrow", de: "hinterlegt" },
  "order.SHIPPED": { en: "shipped", de: "versandt" },
  "order.DELIVERED": { en: "delivered", de: "geliefert" },
  "order.COMPLETED": { en: "completed", de: "erledigt" },
  "order.CANCELLED": { en: "canceled", de: "aufgehoben" },
  "order.DISPUTED": { en: "disputed", de: "strittig" },

  "release.DELIVERY_PROOF": { en: "after a delivery proof", de: "nach einem Liefernachweis" },
  "release.TIME_LOCKED": { en: "from a set time", de: "ab einem festgelegten Zeitpunkt" },
  "release.MILESTONE_LOCKED": { en: "by milestone", de: "nach Meilensteinen" },
  "release.AUTO_RELEASE": {
    en: "automatically on a valid delivery proof",
    de: "automatisch bei gültigem Liefernachweis",
  },

  "settlement.created": { en: "created", de: "erstellt" },
  "settlement.submitted": { en: "in transit", de: "unterwegs" },
  "settlement.completed": { en: "paid out", de: "ausgezahlt" },
  "settlement.failed": { en: "failed", de: "fehlgeschlagen" },
  "settlement.returned": { en: "returned", de: "zurückgegeben" },
  "settlement.quarantined": { en: "unconfirmed", de: "unbestätigt" },

  "webhookDelivery.pending": { en: "pending", de: "ausstehend" },
  "webhookDelivery.succeeded": { en: "succeeded", de: "zugestellt" },
  "webhookDelivery.failed": { en: "failed", de: "fehlgeschlagen" },

  "endpoint.enabled": { en: "enabled", de: "aktiv" },
  "endpoint.disabled": { en: "disabled", de: "abgeschaltet" },

  "key.active": { en: "active", de: "aktiv" },
  "key.ending": { en: "expiring", de: "läuft ab" },
  "key.expired": { en: "expired", de: "abgelaufen" },
  "key.revoked": { en: "revoked", de: "widerrufen" },
} as const satisfies Catalogue;
