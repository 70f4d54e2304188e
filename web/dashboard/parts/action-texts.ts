// Labels of the audit log's actions.
import type { AuditAction } from "#core/audit/actions.ts";
import { useTexts } from "../../i18n/language.tsx";
import type { Catalogue } from "../../i18n/translate.ts";

export const actions = {
  "payment_intent.create": { en: "Payment created", de: "Zahlung angelegt" },
  "payment_intent.update": {
    en: "Description or metadata changed",
    de: "Beschreibung oder Metadaten geändert",
  },
  "payment_intent.confirm": { en: "Payer's signature submitted", de: "Unterschrift des Zahlers eingereicht" },
  "payment_intent.cancel": { en: "Cancellation requested", de: "Stornierung beauftragt" },
  "payment_intent.attach_payer": { en: "Payer attached", de: "Zahler zugeordnet" },
  "payment_intent.report_transaction": {
    en: "Payer's transaction reported",
    de: "Transaktion des Zahlers gemeldet",
  },
  "conditional_payment.ship": { en: "Shipment reported", de: "Versand gemeldet" },
  "conditional_payment.release": { en: "Release requested", de: "Freigabe beauftragt" },
  "conditional_payment.refund": { en: "Refund requested", de: "Erstattung beauftragt" },
  "delivery_proof.submit": { en: "Delivery proof sent", de: "Liefernachweis gesendet" },
  "dispute.raise": { en: "Dispute requested", de: "Streitfall beauftragt" },
  "dispute.resolve": { en: "Dispute decision sent", de: "Entscheidung des Streitfalls gesendet" },
  "milestone.create": { en: "Milestone planned", de: "Meilenstein geplant" },
  "milestone.complete": {
    en: "Milestone completion reported",
    de: "Abschluss eines Meilensteins gemeldet",
  },
  "payout.created": { en: "Payout created", de: "Auszahlung erstellt" },
  "payout.submitted": { en: "Payout submitted", de: "Auszahlung beauftragt" },
  "payout.quarantined": { en: "Payout unconfirmed", de: "Auszahlung unbestätigt" },
  "payout.reduced": { en: "Payout reduced", de: "Auszahlung verringert" },
  "payout.retry": { en: "Payout retry requested", de: "Erneute Auszahlung beauftragt" },
  "payout.allow": { en: "Payout allowed by operations", de: "Auszahlung vom Betrieb erlaubt" },
  "payout.cancel": {
    en: "Cancellation of a payout requested by operations",
    de: "Stornierung einer Auszahlung vom Betrieb beauftragt",
  },
  "payout.confirm_debit": {
    en: "Debit of a payout confirmed by operations",
    de: "Abbuchung einer Auszahlung vom Betrieb bestätigt",
  },
  "payout.fail": {
    en: "Payout marked as failed by operations",
    de: "Auszahlung vom Betrieb als fehlgeschlagen vermerkt",
  },
  "payout.refresh": {
    en: "Check of a payout with the provider requested",
    de: "Abfrage einer Auszahlung beim Anbieter beauftragt",
  },
  "payout.move": {
    en: "Payout moved to another provider account",
    de: "Auszahlung auf ein anderes Anbieterkonto verlegt",
  },
  "payout.reorder": {
    en: "New submission of a payout requested by operations",
    de: "Neue Einreichung einer Auszahlung vom Betrieb beauftragt",
  },
  "payout.settle_externally": { en: "Paid outside the gateway", de: "Außerhalb des Gateways gezahlt" },
  "work.retry": {
    en: "Retry of a job requested by operations",
    de: "Wiederholung eines Auftrags vom Betrieb beauftragt",
  },
  "webhook.redeliver": {
    en: "Webhook redelivery requested by operations",
    de: "Erneute Zustellung eines Webhooks vom Betrieb beauftragt",
  },
  "webhook_delivery.redeliver": {
    en: "Webhook redelivery requested",
    de: "Erneute Zustellung eines Webhooks beauftragt",
  },
  "webhook_endpoint.create": { en: "Webhook endpoint added", de: "Webhook-Endpunkt hinzugefügt" },
  "webhook_endpoint.update": { en: "Webhook endpoint changed", de: "Webhook-Endpunkt geändert" },
  "webhook_endpoint.delete": { en: "Webhook endpoint deleted", de: "Webhook-Endpunkt gelöscht" },
  "webhook_endpoint.rotate_secret": { en: "Webhook secret rotated", de: "Webhook-Geheimnis ersetzt" },
  "webhook_endpoint.test": { en: "Test event sent", de: "Testereignis gesendet" },
  "webhook_endpoint.disabled": {
    en: "Webhook endpoint disabled after failures",
    de: "Webhook-Endpunkt nach Fehlschlägen abgeschaltet",
  },
  "api_key.create": { en: "API key created", de: "API-Schlüssel erstellt" },
  "api_key.rotate": { en: "API key rotated", de: "API-Schlüssel ersetzt" },
  "api_key.revoke": { en: "API key revoked", de: "API-Schlüssel widerrufen" },
  "user.create": { en: "User created", de: "Benutzer angelegt" },
  "user.invite": { en: "User invited", de: "Benutzer eingeladen" },
  "user.change_role": { en: "Role changed", de: "Rolle geändert" },
  "user.delete": { en: "User removed", de: "Benutzer entfernt" },
  "user.create_link": { en: "Password link created", de: "Passwort-Link erstellt" },
  "user.set_password": { en: "Password set", de: "Passwort gesetzt" },
  "user.end_session": { en: "Session ended", de: "Sitzung beendet" },
  "user.enable_two_factor": {
    en: "Two-factor authentication turned on",
    de: "Zwei-Faktor-Authentifizierung eingeschaltet",
  },
  "user.disable_two_factor": {
    en: "Two-factor authentication turned off",
    de: "Zwei-Faktor-Authentifizierung abgeschaltet",
  },
  "user.replace_backup_codes": { en: "Backup codes replaced", de: "Ersatzcodes erneuert" },
  "merchant.update": { en: "Account settings changed", de: "Kontoeinstellungen geändert" },
  "deployment.change": { en: "Deployment changed", de: "Deployment geändert" },
  "test_clock.advance": { en: "Test clock advanced", de: "Testuhr vorgestellt" },

  "payment_intent.requires_signature": {
    en: "Awaiting the payer's signature",
    de: "Wartet auf die Unterschrift des Zahlers",
  },
  "payment_intent.processing": {
    en: "Payment on its way to the blockchain",
    de: "Zahlung unterwegs zur Blockchain",
  },
  "payment_intent.succeeded": { en: "Payment confirmed", de: "Zahlung bestätigt" },
  "payment_intent.settled": { en: "Paid out", de: "Ausgezahlt" },
  "payment_intent.final": { en: "Final", de: "Abgeschlossen" },
  "payment_intent.canceled": { en: "Canceled", de: "Storniert" },
  "payment_intent.requires_action": { en: "Action needed", de: "Eingreifen nötig" },
  "payment_intent.initiated": { en: "Awaiting payment", de: "Wartet auf Zahlung" },
  "payment_intent.reverted": {
    en: "Reverted by a blockchain reorg",
    de: "Durch Blockchain-Reorg aufgehoben",
  },
  "payment_intent.late_funding": { en: "Paid after cancellation", de: "Nach der Stornierung bezahlt" },
  "conditional_payment.shipped": { en: "Shipped", de: "Versandt" },
  "conditional_payment.released": { en: "Funds released", de: "Geld freigegeben" },
  "conditional_payment.refunded": { en: "Payer refunded", de: "Dem Zahler erstattet" },
  "conditional_payment.withdrawal_required": {
    en: "Amount to withdraw on chain",
    de: "Betrag auf der Blockchain abzuheben",
  },
  "delivery_proof.submitted": { en: "Delivery proof accepted", de: "Liefernachweis angenommen" },
  "dispute.raised": { en: "Dispute raised", de: "Streitfall eröffnet" },
  "dispute.resolved": { en: "Dispute decided", de: "Streitfall entschieden" },
  "milestone.completed": { en: "Milestone completed", de: "Meilenstein abgeschlossen" },
  "milestone.released": { en: "Milestone released", de: "Meilenstein freigegeben" },
  "payout.completed": { en: "Payout arrived", de: "Auszahlung angekommen" },
  "payout.failed": { en: "Payout failed", de: "Auszahlung fehlgeschlagen" },
  "payout.returned": { en: "Payout returned", de: "Auszahlung zurückgegeben" },
  "webhook.test": { en: "Test event", de: "Testereignis" },
} as const satisfies Catalogue & Record<AuditAction, unknown>;

const isKnown = (action: string): action is AuditAction => Object.hasOwn(actions, action);

/** @returns a function that returns an action's label, or the action itself if a newer gateway added it */
export function useActionWords() {
  const a = useTexts(actions);
  return (action: string): string => (isKnown(action) ? a(action) : action);
}
