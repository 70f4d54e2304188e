// Texts of the home page.
import type { Catalogue } from "../../i18n/translate.ts";

export const home = {
  title: { en: "Home", de: "Start" },
  balance: { en: "Where the money is", de: "Wo das Geld ist" },
  "balance.inEscrow": { en: "In escrow", de: "Im Treuhandkonto" },
  "balance.released": { en: "Released", de: "Freigegeben" },
  "balance.inTransit": { en: "On its way to the bank", de: "Unterwegs zur Bank" },
  "balance.paid": { en: "Paid out", de: "Ausgezahlt" },
  attention: { en: "Needs your attention", de: "Braucht Ihre Aufmerksamkeit" },
  "attention.none": {
    en: "Nothing needs your attention right now.",
    de: "Gerade braucht nichts Ihre Aufmerksamkeit.",
  },
  "attention.dispute": {
    en: "Disputed. It is decided by {time} at the latest.",
    de: "Strittig. Es wird spätestens bis {time} entschieden.",
  },
  "attention.payout": {
    en: "The payout failed: {failure}",
    de: "Die Auszahlung ist fehlgeschlagen: {failure}",
  },
  "attention.payment": {
    en: "The payment did not go through: the payer has to sign again.",
    de: "Die Zahlung kam nicht zustande: Der Zahler muss erneut unterschreiben.",
  },
  "attention.reclaim": {
    en: "Not delivered yet. The payer can take the money back from {time}.",
    de: "Noch nicht geliefert. Ab {time} kann der Zahler das Geld zurückholen.",
  },
  "attention.endpoint": {
    en: "This webhook endpoint does not accept events; they are sent again.",
    de: "Dieser Webhook-Endpunkt nimmt keine Ereignisse an; sie werden erneut gesendet.",
  },
  "attention.endpointGone": {
    en: "This webhook endpoint answered that it is gone: it was disabled.",
    de: "Dieser Webhook-Endpunkt hat gemeldet, dass es ihn nicht mehr gibt: Er wurde abgeschaltet.",
  },
  recent: { en: "Newest payments", de: "Neueste Zahlungen" },
  "recent.all": { en: "All payments", de: "Alle Zahlungen" },
} as const satisfies Catalogue;
