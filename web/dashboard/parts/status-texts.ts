// Labels of the API's statuses, by `<resource>.<status>`. status-texts.test.ts checks that every status has a label.
import type { Catalogue } from "../../i18n/translate.ts";

export const statuses = {
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
  "order.DISPUTED": { en: "in dispute", de: "im Streitfall" },

  "release.DELIVERY_PROOF": { en: "after a delivery proof", de: "nach einem Liefernachweis" },
  "release.TIME_LOCKED": { en: "after a set date", de: "nach einem festgelegten Datum" },
  "release.MILESTONE_LOCKED": { en: "by milestone", de: "nach Meilensteinen" },
  "release.AUTO_RELEASE": { en: "automatically on delivery", de: "automatisch bei Lieferung" },

  "phase.SIGNATURE_VERIFICATION": { en: "Signature verified", de: "Unterschrift geprüft" },
  "phase.BLOCKCHAIN_CONFIRMATION": { en: "Confirmed on the blockchain", de: "Auf der Blockchain bestätigt" },
  "phase.ESCROW_LOCKED": { en: "Locked in escrow", de: "In der Treuhand hinterlegt" },
  "phase.AWAITING_DELIVERY_PROOF": { en: "Delivery", de: "Lieferung" },
  "phase.SETTLEMENT": { en: "Settlement", de: "Auszahlung" },
  "phase.IN_PROGRESS": { en: "in progress", de: "läuft" },
  "phase.COMPLETED": { en: "done", de: "erledigt" },
  "phase.FAILED": { en: "failed", de: "fehlgeschlagen" },

  "settlement.created": { en: "created", de: "erstellt" },
  "settlement.submitted": { en: "in transit", de: "unterwegs" },
  "settlement.completed": { en: "paid", de: "ausgezahlt" },
  "settlement.failed": { en: "failed", de: "fehlgeschlagen" },
  "settlement.returned": { en: "returned", de: "zurückgegeben" },
  "settlement.quarantined": { en: "under review", de: "in Prüfung" },

  "delivery.pending": { en: "pending", de: "ausstehend" },
  "delivery.succeeded": { en: "succeeded", de: "zugestellt" },
  "delivery.failed": { en: "failed", de: "fehlgeschlagen" },

  "endpoint.enabled": { en: "enabled", de: "aktiv" },
  "endpoint.disabled": { en: "disabled", de: "abgeschaltet" },

  "key.active": { en: "active", de: "aktiv" },
  "key.ending": { en: "expiring", de: "läuft aus" },
  "key.expired": { en: "expired", de: "abgelaufen" },
  "key.revoked": { en: "revoked", de: "widerrufen" },
} as const satisfies Catalogue;
