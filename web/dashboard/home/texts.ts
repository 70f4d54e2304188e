// Texts of the home page.
import type { Catalogue } from "../../i18n/translate.ts";

export const home = {
  title: { en: "Home", de: "Start" },
  balance: { en: "Funds", de: "Geld im Überblick" },
  "balance.inEscrow": { en: "In escrow", de: "Hinterlegt" },
  "balance.released": { en: "Released", de: "Freigegeben" },
  "balance.inTransit": { en: "In transit to the bank", de: "Unterwegs zur Bank" },
  "balance.paid": { en: "Paid out", de: "Ausgezahlt" },
  attention: { en: "Needs your attention", de: "Braucht Ihre Aufmerksamkeit" },
  "attention.none": {
    en: "Nothing needs your attention right now.",
    de: "Gerade braucht nichts Ihre Aufmerksamkeit.",
  },
  "attention.dispute": {
    en: "Disputed. Decision due by {time}.",
    de: "Im Streitfall. Entscheidung bis spätestens {time}.",
  },
  "attention.payout": {
    en: "Payout failed: {failure}",
    de: "Auszahlung fehlgeschlagen: {failure}",
  },
  "attention.payment": {
    en: "The payment did not go through. The payer must sign again.",
    de: "Die Zahlung kam nicht zustande: Der Zahler muss erneut unterschreiben.",
  },
  "attention.reclaim": {
    en: "Not delivered yet. The payer can reclaim the money from {time}.",
    de: "Noch nicht geliefert. Ab {time} kann der Zahler das Geld zurückholen.",
  },
  "attention.endpoint": {
    en: "Deliveries to this webhook endpoint are failing and are being retried.",
    de: "Zustellungen an diesen Webhook-Endpunkt schlagen fehl und werden wiederholt.",
  },
  "attention.endpointGone": {
    en: "This webhook endpoint returned 410 Gone and was disabled.",
    de: "Dieser Webhook-Endpunkt hat mit 410 Gone geantwortet und wurde abgeschaltet.",
  },
  recent: { en: "Recent payments", de: "Neueste Zahlungen" },
  "recent.all": { en: "All payments", de: "Alle Zahlungen" },
} as const satisfies Catalogue;
