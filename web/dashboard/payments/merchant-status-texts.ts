// Texts for a payment's status in the merchant's terms, and for the next step.
import type { MerchantStatus } from "#core/model/merchant-status.ts";
import type { Catalogue } from "../../i18n/translate.ts";

export const merchantStatuses = {
  AWAITING_PAYMENT: { en: "awaiting payment", de: "wartet auf Zahlung" },
  CONFIRMING: { en: "confirming", de: "wird bestätigt" },
  IN_ESCROW: { en: "in escrow", de: "hinterlegt" },
  SHIPPED: { en: "shipped", de: "versandt" },
  DELIVERED: { en: "delivered", de: "geliefert" },
  DISPUTED: { en: "disputed", de: "strittig" },
  RELEASED: { en: "released", de: "freigegeben" },
  PAID_OUT: { en: "paid out", de: "ausgezahlt" },
  FINAL: { en: "final", de: "abgeschlossen" },
  REFUNDED: { en: "refunded", de: "erstattet" },
  PARTLY_REFUNDED: { en: "partially refunded", de: "teilweise erstattet" },
  CANCELED: { en: "canceled", de: "storniert" },
  NEEDS_ACTION: { en: "needs action", de: "braucht Ihr Eingreifen" },
} as const satisfies Catalogue & Record<MerchantStatus, unknown>;

const DUE = {
  en: "The money is in escrow. Delivery is due by {time}.",
  de: "Das Geld ist hinterlegt. Die Lieferung ist fällig bis {time}.",
} as const;

export const nextSteps = {
  AWAITING_PAYMENT: {
    en: "The payer has not paid yet and can pay until {time}. Send them the payment page.",
    de: "Der Zahler hat noch nicht gezahlt und kann bis {time} zahlen. Senden Sie ihm die Zahlungsseite.",
  },
  CONFIRMING: {
    en: "The blockchain is confirming the payment. Do not ship yet.",
    de: "Die Blockchain bestätigt die Zahlung. Warten Sie noch mit dem Versand.",
  },
  IN_ESCROW: DUE,
  SHIPPED: DUE,
  TIME_LOCKED: {
    en: "The money is in escrow and can be released from {time}.",
    de: "Das Geld ist hinterlegt und kann ab {time} freigegeben werden.",
  },
  MILESTONE_LOCKED: {
    en: "The money is in escrow and will be released by milestone.",
    de: "Das Geld ist hinterlegt und wird Meilenstein für Meilenstein freigegeben.",
  },
  DELIVERED: {
    en: "Delivery is proven. The money has not been released yet.",
    de: "Die Lieferung ist nachgewiesen. Das Geld ist noch nicht freigegeben.",
  },
  DISPUTED: {
    en: "The money is on hold until the dispute is decided or its deadline passes: {time}.",
    de: "Das Geld ist angehalten, bis der Streitfall entschieden oder seine Frist abgelaufen ist: {time}.",
  },
  RELEASED: {
    en: "The money is yours and is being paid out.",
    de: "Das Geld gehört Ihnen und wird ausgezahlt.",
  },
  PAID_OUT: {
    en: "Paid out. The bank can still return it until its return window closes.",
    de: "Ausgezahlt. Bis die Rückgabefrist der Bank endet, kann die Bank es noch zurückgeben.",
  },
  FINAL: { en: "Paid out. This is final.", de: "Ausgezahlt. Das ist endgültig." },
  REFUNDED: { en: "The payer has been refunded.", de: "Das Geld wurde dem Zahler erstattet." },
  PARTLY_REFUNDED: {
    en: "Part of the money was refunded to the payer. The rest has been paid out.",
    de: "Ein Teil wurde dem Zahler erstattet. Der Rest ist ausgezahlt.",
  },
  CANCELED: { en: "The payer can no longer pay.", de: "Sie kann nicht mehr bezahlt werden." },
  NEEDS_ACTION: {
    en: "The payment or its payout failed. See the available actions below.",
    de: "Die Zahlung oder ihre Auszahlung ist fehlgeschlagen. Mögliche Aktionen stehen unten.",
  },
} as const satisfies Catalogue & Record<MerchantStatus, unknown>;
