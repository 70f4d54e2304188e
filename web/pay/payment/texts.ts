// The payment page's texts.
import type { Catalogue } from "../../i18n/translate.ts";

export const pay = {
  brand: { en: "Escrow payment", de: "Treuhandzahlung" },
  testMode: { en: "Test – no real money", de: "Test – kein echtes Geld" },
  "document.title": { en: "Pay {amount} to {merchant}", de: "{amount} an {merchant} zahlen" },

  "loading.title": { en: "Loading your payment…", de: "Ihre Zahlung wird geladen …" },
  "lost.first": {
    en: "We cannot reach the payment service. We will keep trying. Your payment is not affected.",
    de: "Der Zahlungsdienst ist nicht erreichbar. Wir versuchen es weiter; Ihre Zahlung ist davon nicht betroffen.",
  },
  "lost.later": {
    en: "Connection lost. This page may be out of date. It will update automatically when the connection is restored.",
    de: "Verbindung unterbrochen. Die Anzeige kann veraltet sein und aktualisiert sich von selbst, sobald die Verbindung wieder da ist.",
  },
  "unknown.title": { en: "Payment not found", de: "Zahlung nicht gefunden" },
  "unknown.text": {
    en: "This link does not match a payment. Check that you opened the full link, or ask the sender for a new one.",
    de: "Zu diesem Link gibt es keine Zahlung. Prüfen Sie, ob Sie den vollständigen Link geöffnet haben, oder bitten Sie den Absender um einen neuen.",
  },
  "tampered.title": { en: "Do not make this payment", de: "Zahlen Sie nicht" },
  "tampered.text": {
    en: "The amount, recipient or contract does not match this payment link and may have been altered. Nothing was sent to your wallet. Ask the merchant for a new link.",
    de: "Betrag, Empfänger oder Vertrag passen nicht zu diesem Zahlungslink und wurden möglicherweise verändert. An Ihre Wallet wurde nichts gesendet. Bitten Sie den Händler um einen neuen Link.",
  },

  "back.paid": { en: "Return to {merchant}", de: "Zurück zu {merchant}" },
  "back.unpaid": {
    en: "Return to {merchant} without paying",
    de: "Ohne Zahlung zurück zu {merchant}",
  },

  "summary.to": { en: "Payment to", de: "Zahlung an" },
  support: { en: "Questions? Contact {merchant}:", de: "Fragen? {merchant} hilft:" },
  "summary.for": { en: "For", de: "Für" },
  "summary.fee": { en: "Fee", de: "Gebühr" },
  "summary.noFee": { en: "None for you", de: "Für Sie keine" },
  "summary.noWayBack": {
    en: "Cannot be reversed once paid",
    de: "Nach der Zahlung nicht rückgängig zu machen",
  },
  "summary.payBy": { en: "Pay by", de: "Zahlen bis" },
  "summary.left": { en: "{time} left", de: "noch {time}" },
  "summary.over": { en: "expired", de: "abgelaufen" },
  "summary.payer": { en: "Paid from", de: "Zahlt von" },
  "summary.boundPayer": {
    en: "Only this account can pay",
    de: "Nur dieses Konto kann zahlen",
  },
  "summary.network": { en: "Network", de: "Netzwerk" },
  "summary.when": { en: "What happens to your money", de: "Was mit Ihrem Geld geschieht" },
  "summary.details": { en: "Contract and technical details", de: "Vertrag und technische Angaben" },
  "summary.contract": { en: "Escrow contract", de: "Treuhandvertrag" },
  "summary.token": { en: "Token", de: "Token" },
  "summary.recipient": { en: "Recipient account", de: "Konto des Empfängers" },
  "summary.arbiter": { en: "Disputes decided by", de: "Entscheidet Streitfälle" },
  "summary.oracle": { en: "Delivery confirmed by", de: "Bestätigt die Lieferung" },
  "summary.id": { en: "Payment ID", de: "Zahlungsnummer" },
  "summary.checked": {
    en: "Verified: amount, recipient and contract match this link.",
    de: "Geprüft: Betrag, Empfänger und Vertrag passen zu diesem Link.",
  },
  "summary.milestones": { en: "Milestones", de: "Meilensteine" },
  "milestone.PENDING": { en: "pending", de: "offen" },
  "milestone.COMPLETED": { en: "completed", de: "erledigt" },
  "milestone.RELEASED": { en: "released", de: "freigegeben" },
  "milestone.unnamed": { en: "Milestone {number}", de: "Meilenstein {number}" },

  "gist.proof": {
    en: "Held in escrow until delivery is proven or you confirm it",
    de: "In Treuhand, bis die Lieferung nachgewiesen ist oder Sie sie bestätigen",
  },
  "gist.auto": {
    en: "Held in escrow until delivery is proven",
    de: "In Treuhand, bis die Lieferung nachgewiesen ist",
  },
  "gist.lock": { en: "Held in escrow until {date}", de: "In Treuhand bis {date}" },
  "gist.pastLock": {
    en: "Held in escrow until the order is marked as shipped",
    de: "In Treuhand, bis der Versand gemeldet ist",
  },
  "gist.milestones": {
    en: "Held in escrow and released by milestone",
    de: "In Treuhand, freigegeben Meilenstein für Meilenstein",
  },
  "gist.immediate": {
    en: "Paid to the merchant immediately, without escrow",
    de: "Geht sofort an den Händler, ohne Treuhand",
  },

  "rule.immediate": {
    en: "{merchant} receives the money as soon as the network confirms your payment. It is not held in escrow and cannot be reversed.",
    de: "{merchant} bekommt das Geld, sobald das Netzwerk Ihre Zahlung bestätigt hat. Es liegt nicht in Treuhand und kann nicht zurückgeholt werden.",
  },
  "rule.held": {
    en: "Your money is held by a public smart contract, not by {merchant} or by us.",
    de: "Ihr Geld liegt in einem öffentlichen Smart Contract, nicht bei {merchant} und nicht bei uns.",
  },
  "rule.proof": {
    en: "{merchant} receives the money after delivery is proven, either by having us release it or, after the delivery deadline, by releasing it directly. You can release the money earlier by confirming that you have received everything.",
    de: "{merchant} bekommt es, nachdem die Lieferung nachgewiesen ist: durch eine Freigabe über uns oder, nach der Lieferfrist, durch eigene Freigabe. Sie können es früher freigeben, indem Sie den Empfang bestätigen.",
  },
  "rule.auto": {
    en: "{merchant} receives the money as soon as delivery is proven, or earlier if you confirm that you have received everything.",
    de: "{merchant} bekommt es, sobald die Lieferung nachgewiesen ist, oder früher, wenn Sie den Empfang bestätigen.",
  },
  "rule.lock": {
    en: "{merchant} receives the money on or after {date} if the order is marked as shipped or delivered, or earlier if you confirm that you have received everything.",
    de: "{merchant} bekommt es ab dem {date}, wenn Versand oder Lieferung gemeldet ist, oder früher, wenn Sie den Empfang bestätigen.",
  },
  "rule.pastLock": {
    en: "The agreed date has passed, so the money is released to {merchant} as soon as the order is marked as shipped or delivered, or earlier if you confirm that you have received everything.",
    de: "Das vereinbarte Datum ist vorbei: Das Geld wird für {merchant} freigegeben, sobald Versand oder Lieferung gemeldet ist, oder früher, wenn Sie den Empfang bestätigen.",
  },
  "rule.milestonesByOracle": {
    en: "{merchant} receives the money in parts, one part each time an independent account confirms an agreed milestone. Once that account confirms full delivery, {merchant} can release the rest. You can release the next milestone, or everything, earlier.",
    de: "{merchant} bekommt es in Teilen, jeweils wenn ein unabhängiges Konto einen vereinbarten Meilenstein bestätigt. Hat dieses Konto die gesamte Lieferung bestätigt, kann {merchant} den Rest freigeben. Sie können früher freigeben: den nächsten Meilenstein oder alles.",
  },
  "rule.milestonesByMerchant": {
    en: "{merchant} receives the money in parts by reporting the agreed milestones as completed. No other confirmation is needed. You can release the next milestone, or everything, earlier.",
    de: "{merchant} bekommt es in Teilen, indem es die vereinbarten Meilensteine als erreicht meldet; eine andere Bestätigung ist nicht nötig. Sie können früher freigeben: den nächsten Meilenstein oder alles.",
  },
  "rule.milestonesByPayer": {
    en: "{merchant} receives the money when you release it. You can release the next milestone or everything. Nobody else can release the money, except the arbiter in a dispute.",
    de: "{merchant} bekommt es, wenn Sie es freigeben: den nächsten Meilenstein oder alles. Niemand sonst kann das, außer dem Schlichter in einem Streitfall.",
  },
  "rule.provenByOracle": {
    en: "An independent account confirms delivery. A statement from {merchant} is not enough.",
    de: "Die Lieferung bestätigt ein unabhängiges Konto. Eine Erklärung von {merchant} genügt nicht.",
  },
  "rule.provenByMerchant": {
    en: "A statement from {merchant} counts as proof of delivery. If something is wrong, raise a dispute before {merchant} submits that statement, because a later dispute does not invalidate the statement.",
    de: "Als Liefernachweis gilt eine Erklärung von {merchant}. Wenn etwas nicht stimmt, eröffnen Sie einen Streitfall, bevor {merchant} diese Erklärung abgibt: Ein späterer Streitfall macht sie nicht ungültig.",
  },
  "rule.provenByPayer": {
    en: "Only your own account can confirm delivery. A statement from {merchant} is not enough.",
    de: "Die Lieferung kann nur Ihr eigenes Konto bestätigen. Eine Erklärung von {merchant} genügt nicht.",
  },
  "rule.provenByParty": {
    en: "The account that confirms delivery is not independent, so its statement counts as a statement from {merchant}. If something is wrong, raise a dispute before that account submits its statement, because a later dispute does not invalidate the statement.",
    de: "Das Konto, das die Lieferung bestätigt, ist nicht unabhängig: Seine Erklärung gilt wie eine von {merchant}. Wenn etwas nicht stimmt, eröffnen Sie einen Streitfall, bevor dieses Konto seine Erklärung abgibt: Ein späterer Streitfall macht sie nicht ungültig.",
  },
  "rule.shippedByOracle": {
    en: "Only an independent account can mark the order as shipped or delivered.",
    de: "Nur ein unabhängiges Konto kann melden, dass versandt oder geliefert wurde.",
  },
  "rule.shippedByMerchant.pastLock": {
    en: "{merchant} itself marks the order as shipped, and the money can then be released immediately. If something is wrong, raise a dispute before that happens.",
    de: "Den Versand meldet {merchant} selbst, und dann kann das Geld sofort freigegeben werden. Wenn etwas nicht stimmt, eröffnen Sie vorher einen Streitfall.",
  },
  "rule.shippedByMerchant": {
    en: "{merchant} itself marks the order as shipped. If the order has not been shipped, raise a dispute before the money can be released.",
    de: "Den Versand meldet {merchant} selbst. Wenn das nicht stimmt, eröffnen Sie einen Streitfall, bevor das Geld freigegeben werden kann.",
  },
  "rule.reclaim.proof": {
    en: "If delivery is not proven within {time} after you pay, you can reclaim the money yourself.",
    de: "Ist {time} nach Ihrer Zahlung keine Lieferung nachgewiesen, können Sie das Geld selbst zurückholen.",
  },
  "rule.reclaimAt.proof": {
    en: "If delivery is not proven by {date}, you can reclaim the money yourself.",
    de: "Ist bis {date} keine Lieferung nachgewiesen, können Sie das Geld selbst zurückholen.",
  },
  "rule.reclaim.lock": {
    en: "If the order is not marked as shipped or delivered within {time} after you pay, you can reclaim the money yourself.",
    de: "Ist {time} nach Ihrer Zahlung weder Versand noch Lieferung gemeldet, können Sie das Geld selbst zurückholen.",
  },
  "rule.reclaimAt.lock": {
    en: "If the order is not marked as shipped or delivered by {date}, you can reclaim the money yourself.",
    de: "Ist bis {date} weder Versand noch Lieferung gemeldet, können Sie das Geld selbst zurückholen.",
  },
  "rule.reclaim.milestones": {
    en: "You can reclaim anything not released within {time} after you pay.",
    de: "Was {time} nach Ihrer Zahlung nicht freigegeben ist, können Sie selbst zurückholen.",
  },
  "rule.reclaim.milestonesByOracle": {
    en: "You can reclaim anything not released within {time} after you pay, unless an independent account has confirmed full delivery.",
    de: "Was {time} nach Ihrer Zahlung nicht freigegeben ist, können Sie selbst zurückholen, außer wenn ein unabhängiges Konto die gesamte Lieferung bestätigt hat.",
  },
  "rule.reclaimAt.milestones": {
    en: "You can reclaim anything not released by {date}.",
    de: "Was bis {date} nicht freigegeben ist, können Sie selbst zurückholen.",
  },
  "rule.reclaimAt.milestonesByOracle": {
    en: "You can reclaim anything not released by {date}, unless an independent account has confirmed full delivery.",
    de: "Was bis {date} nicht freigegeben ist, können Sie selbst zurückholen, außer wenn ein unabhängiges Konto die gesamte Lieferung bestätigt hat.",
  },
  "rule.refund": {
    en: "At any time, {merchant} can refund all or part of the money that has not been released yet.",
    de: "{merchant} kann Ihnen jederzeit ganz oder teilweise erstatten, was noch nicht freigegeben ist.",
  },
  "rule.dispute": {
    en: "If something is wrong, you can raise one dispute, as long as you cannot reclaim the money yet and {merchant} cannot release it alone yet. Until the arbiter decides, {merchant} receives nothing unless you release the money, but can still refund you. A dispute extends the delivery deadline by the time set for the decision plus the dispute period of this payment.",
    de: "Wenn etwas nicht stimmt, können Sie einmal einen Streitfall eröffnen, solange Sie das Geld noch nicht zurückholen können und {merchant} es noch nicht allein freigeben kann. Bis der Schlichter entscheidet, bekommt {merchant} nichts, wenn Sie es nicht freigeben, und kann es Ihnen noch erstatten. Ein Streitfall verlängert die Lieferfrist um die Zeit für die Entscheidung und zusätzlich um die Streitfrist dieser Zahlung.",
  },
  "rule.merchantsDispute": {
    en: "{merchant} can also raise one dispute. If that dispute is not decided in time, the payment continues as before.",
    de: "Auch {merchant} kann einmal einen Streitfall eröffnen. Wird er nicht rechtzeitig entschieden, läuft die Zahlung weiter wie zuvor.",
  },
  "undecided.payer": {
    en: "If your dispute is not decided in time, the money is returned to you, unless delivery was proven before you raised it.",
    de: "Wird Ihr Streitfall nicht rechtzeitig entschieden, geht das Geld an Sie zurück, außer wenn die Lieferung nachgewiesen war, bevor Sie ihn eröffnet haben.",
  },
  "undecided.oracle": {
    en: "If your dispute is not decided in time, the payment continues as before. However, if the independent account has confirmed delivery by then, {merchant} receives the money.",
    de: "Wird Ihr Streitfall nicht rechtzeitig entschieden, läuft die Zahlung weiter wie zuvor; hat das unabhängige Konto die Lieferung bis dahin bestätigt, bekommt {merchant} das Geld.",
  },
  "undecided.resumes": {
    en: "If the dispute is not decided in time, the payment continues as before.",
    de: "Wird der Streitfall nicht rechtzeitig entschieden, läuft die Zahlung weiter wie zuvor.",
  },
  "ending.payer": {
    en: "{amount} will then be returned to you, because your dispute was not decided and delivery was not proven before you raised it.",
    de: "Dann gehen {amount} an Sie zurück: Ihr Streitfall wurde nicht entschieden, und vorher war keine Lieferung nachgewiesen.",
  },
  "ending.payeeByOracle": {
    en: "{amount} will then be released to {merchant}, because the independent account has confirmed delivery.",
    de: "Dann werden {amount} für {merchant} freigegeben: Das unabhängige Konto hat die Lieferung bestätigt.",
  },
  "ending.payeeByMerchant": {
    en: "{amount} will then be released to {merchant}, because delivery was proven before you raised the dispute.",
    de: "Dann werden {amount} für {merchant} freigegeben: Die Lieferung war nachgewiesen, bevor Sie den Streitfall eröffnet haben.",
  },
  "ending.resumes.Created": {
    en: "The payment will then continue as before: {amount} will stay in escrow, and the order is not marked as shipped or delivered yet.",
    de: "Dann läuft die Zahlung weiter wie zuvor: {amount} bleiben in Treuhand, und noch ist weder Versand noch Lieferung gemeldet.",
  },
  "ending.resumes.Shipped": {
    en: "The payment will then continue as before: {amount} will stay in escrow, and the order is marked as shipped.",
    de: "Dann läuft die Zahlung weiter wie zuvor: {amount} bleiben in Treuhand, und der Versand ist gemeldet.",
  },
  "ending.resumes.Delivered": {
    en: "The payment will then continue as before: {amount} will stay in escrow, and the order is marked as delivered.",
    de: "Dann läuft die Zahlung weiter wie zuvor: {amount} bleiben in Treuhand, und die Lieferung ist gemeldet.",
  },
  "ending.resumes.Proven": {
    en: "The order will then count as delivered: {amount} will stay in escrow, and the independent account has confirmed delivery.",
    de: "Dann läuft die Zahlung als geliefert weiter: {amount} bleiben in Treuhand, und das unabhängige Konto hat die Lieferung bestätigt.",
  },
  "ending.payeesRelease": {
    en: "The money can then be released to {merchant}.",
    de: "Dann kann es für {merchant} freigegeben werden.",
  },
  "ending.lockOver": {
    en: "The agreed date has passed, so the money can then be released to {merchant}, and another dispute will no longer be possible.",
    de: "Das vereinbarte Datum ist vorbei: Sobald der Streitfall beendet ist, kann das Geld für {merchant} freigegeben werden, und ein weiterer Streitfall ist nicht mehr möglich.",
  },
  "ending.lock": {
    en: "The money can be released to {merchant} on or after {date}.",
    de: "Ab dem {date} kann es für {merchant} freigegeben werden.",
  },
  "ending.pastLock": {
    en: "The agreed date has passed, so the money can be released to {merchant} as soon as the order is marked as shipped or delivered.",
    de: "Das vereinbarte Datum ist vorbei: Es kann für {merchant} freigegeben werden, sobald Versand oder Lieferung gemeldet ist.",
  },
  "ending.reclaim": {
    en: "The delivery deadline has passed, so you can then reclaim the money yourself.",
    de: "Die Lieferfrist ist abgelaufen: Sobald der Streitfall beendet ist, können Sie das Geld selbst zurückholen.",
  },
  "ending.ownDispute": {
    en: "You can still raise your own dispute after that.",
    de: "Ihren eigenen Streitfall können Sie dann noch eröffnen.",
  },

  "progress.title": { en: "Progress", de: "Fortschritt" },
  "progress.signature": { en: "Your authorization", de: "Ihre Zustimmung" },
  "progress.blocks": { en: "Network confirmation", de: "Bestätigung durch das Netzwerk" },
  "progress.blocksOf": { en: "block {seen} of {required}", de: "Block {seen} von {required}" },
  "progress.locked": { en: "Money held in escrow", de: "Geld in Treuhand" },
  "progress.delivery": { en: "Delivery", de: "Lieferung" },
  "progress.shipped": { en: "shipped", de: "versandt" },
  "progress.settlement": { en: "Payout to {merchant}", de: "Auszahlung an {merchant}" },
  "progress.done": { en: "done", de: "erledigt" },
  "progress.now": { en: "in progress", de: "läuft" },
  "progress.next": { en: "upcoming", de: "steht noch aus" },
  "progress.failed": { en: "did not happen", de: "nicht erfolgt" },

  "status.amount": { en: "{amount} to {merchant}", de: "{amount} an {merchant}" },
  "status.processing.title": { en: "Your payment is on its way", de: "Ihre Zahlung ist unterwegs" },
  "status.processing.text": {
    en: "The network is confirming your payment. You can close this page. The payment will continue.",
    de: "Das Netzwerk bestätigt sie. Sie können diese Seite schließen; die Zahlung läuft weiter.",
  },
  "status.locked.title": { en: "Paid – your money is in escrow", de: "Bezahlt – Ihr Geld liegt in Treuhand" },
  "status.locked.text": {
    en: "{merchant} can see your payment and will receive the money only under the conditions on this page.",
    de: "{merchant} sieht, dass Sie bezahlt haben, und bekommt das Geld nur unter den Bedingungen auf dieser Seite.",
  },
  "status.released.title": { en: "Released to {merchant}", de: "Für {merchant} freigegeben" },
  "status.released.text": {
    en: "The conditions are met. The money is on its way to {merchant}.",
    de: "Die Bedingungen sind erfüllt. Das Geld ist auf dem Weg zu {merchant}.",
  },
  "status.settled.title": { en: "Payment complete", de: "Zahlung abgeschlossen" },
  "status.settled.text": {
    en: "{merchant} has received the money. Keep the receipt for your records.",
    de: "{merchant} hat das Geld erhalten. Bewahren Sie den Beleg auf.",
  },
  "status.disputed.title": { en: "Disputed – money on hold", de: "Streitfall – Geld angehalten" },
  "status.disputed.text": {
    en: "The money stays in escrow until the dispute is decided. The arbiter has until {date} to decide. {undecided}",
    de: "Das Geld bleibt in Treuhand, bis der Streitfall entschieden ist. Der Schlichter hat Zeit bis {date}. {undecided}",
  },
  "status.undecided.title": {
    en: "Disputed – not decided in time",
    de: "Streitfall – nicht rechtzeitig entschieden",
  },
  "status.undecided.text": {
    en: "The arbiter's deadline was {date}. Anyone, including you, can now end the dispute. {ending}",
    de: "Die Frist des Schlichters endete am {date}. Jetzt kann jeder den Streitfall beenden, auch Sie. {ending}",
  },
  "status.disputed.reason": { en: "Reason given", de: "Genannter Grund" },
  "status.resumed": {
    en: "The dispute ended without a decision, and the payment continues.",
    de: "Der Streitfall endete ohne Entscheidung, und die Zahlung läuft weiter.",
  },
  "status.partlyRefunded": {
    en: "{amount} of the payment was refunded to the account that paid.",
    de: "{amount} davon gingen an das Konto zurück, das gezahlt hat.",
  },
  "status.partlyCredited": {
    en: "{amount} of the payment was refunded. The token rejected the transfer of {credit} to the account that paid, so the contract holds {credit} for that account only. Claim it below.",
    de: "{amount} davon wurden erstattet. Der Token hat die Überweisung von {credit} an das Konto, das gezahlt hat, abgelehnt; der Vertrag verwahrt diesen Betrag nur für dieses Konto: Holen Sie ihn unten ab.",
  },
  "status.partlyReleased": {
    en: "{amount} of the payment was released to {merchant}.",
    de: "{amount} davon wurden für {merchant} freigegeben.",
  },
  "status.refunded.title": { en: "Refunded to you", de: "Ihnen erstattet" },
  "status.refunded.text": {
    en: "{amount} was refunded to the account that paid.",
    de: "{amount} gingen an das Konto zurück, das gezahlt hat.",
  },
  "status.credit.title": {
    en: "Refunded – claim it below",
    de: "Erstattet – unten abholen",
  },
  "status.credit.text": {
    en: "{amount} was refunded. The token rejected the transfer of {credit} to the account that paid, so the contract holds {credit} for that account only.",
    de: "{amount} wurden erstattet. Der Token hat die Überweisung von {credit} an das Konto, das gezahlt hat, abgelehnt; der Vertrag verwahrt diesen Betrag nur für dieses Konto.",
  },
  "status.canceled.title": { en: "This payment was canceled", de: "Diese Zahlung wurde storniert" },
  "status.canceled.text": {
    en: "{merchant} canceled this payment. Nothing was charged, and you can no longer pay.",
    de: "{merchant} hat sie storniert. Es wurde nichts belastet, und sie kann nicht mehr bezahlt werden.",
  },
  "status.expired.title": { en: "This payment has expired", de: "Diese Zahlung ist abgelaufen" },
  "status.expired.text": {
    en: "The payment deadline was {date}. Nothing was charged. Ask {merchant} for a new link.",
    de: "Sie konnte bis {date} bezahlt werden. Es wurde nichts belastet. Bitten Sie {merchant} um einen neuen Link.",
  },
  "status.payout.title": { en: "Your part is done", de: "Ihr Teil ist erledigt" },
  "status.payout.text": {
    en: "You have paid. There is a problem with the payout to {merchant}, which {merchant} must resolve. You do not need to do anything.",
    de: "Sie haben bezahlt. Bei der Auszahlung an {merchant} gibt es ein Problem, das {merchant} lösen muss; Sie müssen nichts tun.",
  },
  "status.gone.title": {
    en: "This payment is no longer active",
    de: "Diese Zahlung ist nicht mehr aktiv",
  },
  "status.gone.text": {
    en: "The test network of this payment no longer exists. This page shows the last known state of the payment.",
    de: "Ihr Testnetzwerk gibt es nicht mehr. Dies ist der letzte bekannte Stand.",
  },

  "receipt.title": { en: "Receipt", de: "Beleg" },
  "receipt.print": { en: "Print receipt", de: "Beleg drucken" },
  "receipt.paid": { en: "Paid on", de: "Bezahlt am" },
  "receipt.amount": { en: "Amount", de: "Betrag" },
  "receipt.payer": { en: "Paid from", de: "Bezahlt von" },
  "receipt.transaction": { en: "Transaction", de: "Transaktion" },
  "receipt.support": { en: "Questions", de: "Fragen" },
  "receipt.refunded": { en: "Refunded", de: "Erstattet" },

  "qr.show": { en: "Continue on your phone", de: "Auf dem Handy weitermachen" },
  "qr.copy": { en: "Copy link", de: "Link kopieren" },
  "qr.hide": { en: "Hide code", de: "Code ausblenden" },
  "qr.text": {
    en: "Scan this code with the phone that has your wallet to open this page.",
    de: "Scannen Sie den Code mit dem Handy, auf dem Ihre Wallet ist. Er öffnet diese Seite.",
  },
  "qr.label": { en: "QR code for this page", de: "QR-Code dieser Seite" },
} as const satisfies Catalogue;
