// A payment's status in merchant terms, and what happens next.

import type { MerchantStatus } from "#core/intent/merchant-status.ts";
import type { Catalogue } from "../../i18n/translate.ts";

export const merchantStatuses = {
  AWAITING_PAYMENT: { en: "awaiting payment", de: "wartet auf Zahlung" },
  CONFIRMING: { en: "confirming", de: "wird bestätigt" },
  IN_ESCROW: { en: "in escrow", de: "hinterlegt" },
  SHIPPED: { en: "shipped", de: "versandt" },
  DELIVERED: { en: "delivered", de: "geliefert" },
  DISPUTED: { en: "disputed", de: "im Streitfall" },
  RELEASED: { en: "released", de: "freigegeben" },
  PAID_OUT: { en: "paid out", de: "ausgezahlt" },
  FINAL: { en: "final", de: "abgeschlossen" },
  REFUNDED: { en: "refunded", de: "erstattet" },
  PARTLY_REFUNDED: { en: "partly refunded", de: "teilweise erstattet" },
  CANCELED: { en: "canceled", de: "storniert" },
  NEEDS_ACTION: { en: "needs action", de: "braucht Ihr Eingreifen" },
} as const satisfies Catalogue & Record<MerchantStatus, unknown>;

const DUE = {
  en: "The money is in escrow. Delivery is due by {time}.",
  de: "Das Geld ist hinterlegt. Die Lieferung ist fällig bis {time}.",
} as const;

export const nextSteps = {
  AWAITING_PAYMENT: {
    en: "The payer has not paid yet, and can until {time}. Send them the payment page.",
    de: "Der Zahler hat noch nicht gezahlt und kann es bis {time}. Senden Sie ihm die Zahlungsseite.",
  },
  CONFIRMING: {
    en: "The blockchain is confirming it. Wait before you ship.",
    de: "Die Blockchain bestätigt gerade. Warten Sie noch mit dem Versand.",
  },
  IN_ESCROW: DUE,
  SHIPPED: DUE,
  TIME_LOCKED: {
    en: "The money is in escrow and can be released from {time}.",
    de: "Das Geld ist hinterlegt und kann ab {time} freigegeben werden.",
  },
  MILESTONE_LOCKED: {
    en: "The money is in escrow and is released milestone by milestone.",
    de: "Das Geld ist hinterlegt und wird Meilenstein für Meilenstein freigegeben.",
  },
  DELIVERED: {
    en: "The delivery is proven. The money has yet to be released.",
    de: "Die Lieferung ist nachgewiesen. Das Geld ist noch nicht freigegeben.",
  },
  DISPUTED: {
    en: "Nothing moves until the dispute is decided, or its time is up: {time}.",
    de: "Nichts bewegt sich, bis der Streitfall entschieden oder seine Zeit abgelaufen ist: {time}.",
  },
  RELEASED: {
    en: "The money is yours and is being paid out.",
    de: "Das Geld gehört Ihnen und wird ausgezahlt.",
  },
  PAID_OUT: {
    en: "Paid out. Until the bank's return window closes, the bank can still give it back.",
    de: "Ausgezahlt. Bis die Rückgabefrist der Bank endet, kann die Bank es noch zurückgeben.",
  },
  FINAL: { en: "Paid out. Nothing can change any more.", de: "Ausgezahlt. Es kann sich nichts mehr ändern." },
  REFUNDED: { en: "The payer has the money back.", de: "Der Zahler hat das Geld zurück." },
  PARTLY_REFUNDED: {
    en: "A part went back to the payer. The rest is paid out.",
    de: "Ein Teil ging zurück an den Zahler. Der Rest ist ausgezahlt.",
  },
  CANCELED: { en: "Nobody can pay it any more.", de: "Niemand kann sie mehr bezahlen." },
  NEEDS_ACTION: {
    en: "The payment or its payout failed. What can be done is below.",
    de: "Die Zahlung oder ihre Auszahlung ist fehlgeschlagen. Was sich tun lässt, steht unten.",
  },
} as const satisfies Catalogue & Record<MerchantStatus, unknown>;
