// The payment page's texts: what is paid, when the money moves and to whom, and what happens.
import type { Catalogue } from "../i18n/translate.ts";

export const pay = {
  brand: { en: "Escrow payment", de: "Treuhandzahlung" },
  testMode: { en: "Test – no real money", de: "Test – kein echtes Geld" },
  "document.title": { en: "Pay {amount} to {merchant}", de: "{amount} an {merchant} zahlen" },

  "loading.title": { en: "Loading your payment…", de: "Ihre Zahlung wird geladen …" },
  "lost.first": {
    en: "The payment service cannot be reached. We keep trying; nothing has happened to your payment.",
    de: "Der Zahlungsdienst ist nicht erreichbar. Wir versuchen es weiter; mit Ihrer Zahlung ist nichts geschehen.",
  },
  "lost.later": {
    en: "Connection lost. What you see may be out of date; it updates by itself when the connection is back.",
    de: "Verbindung unterbrochen. Die Anzeige kann veraltet sein und aktualisiert sich von selbst, sobald die Verbindung wieder da ist.",
  },
  "unknown.title": { en: "There is no such payment", de: "Diese Zahlung gibt es nicht" },
  "unknown.text": {
    en: "The address of this page names no payment. Check that you opened the whole link, or ask whoever sent it to you for a new one.",
    de: "Die Adresse dieser Seite nennt keine Zahlung. Prüfen Sie, ob Sie den ganzen Link geöffnet haben, oder bitten Sie um einen neuen.",
  },
  "tampered.title": { en: "Do not pay this", de: "Zahlen Sie das nicht" },
  "tampered.text": {
    en: "The amount, the recipient or the contract is not what this payment's link stands for. Somebody may have changed it. Nothing was sent to your wallet. Ask the merchant for a new link.",
    de: "Betrag, Empfänger oder Vertrag entsprechen nicht dem, wofür der Link dieser Zahlung steht. Vielleicht hat jemand etwas verändert. Ihre Wallet wurde nicht gefragt. Bitten Sie den Händler um einen neuen Link.",
  },

  "back.paid": { en: "Return to {merchant}", de: "Zurück zu {merchant}" },
  "back.unpaid": {
    en: "Return to {merchant} without paying",
    de: "Ohne Zahlung zurück zu {merchant}",
  },

  "summary.to": { en: "Payment to", de: "Zahlung an" },
  support: { en: "Questions? {merchant} helps:", de: "Fragen? {merchant} hilft:" },
  "summary.for": { en: "For", de: "Für" },
  "summary.fee": { en: "Fee", de: "Gebühr" },
  "summary.noFee": { en: "None for you", de: "Für Sie keine" },
  "summary.noWayBack": {
    en: "Once paid, it cannot be taken back",
    de: "Einmal bezahlt, kann es nicht zurückgeholt werden",
  },
  "summary.payBy": { en: "Pay by", de: "Zahlen bis" },
  "summary.left": { en: "{time} left", de: "noch {time}" },
  "summary.over": { en: "time is up", de: "Zeit abgelaufen" },
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
  "summary.recipient": { en: "Recipient's account", de: "Konto des Empfängers" },
  "summary.arbiter": { en: "Decides disputes", de: "Entscheidet Streitfälle" },
  "summary.oracle": { en: "Confirms delivery", de: "Bestätigt die Lieferung" },
  "summary.id": { en: "Payment id", de: "Zahlungsnummer" },
  "summary.checked": {
    en: "Checked: amount, recipient and contract are what this link stands for.",
    de: "Geprüft: Betrag, Empfänger und Vertrag sind das, wofür dieser Link steht.",
  },
  "summary.milestones": { en: "Milestones", de: "Meilensteine" },
  "milestone.PENDING": { en: "to do", de: "offen" },
  "milestone.COMPLETED": { en: "done", de: "erledigt" },
  "milestone.RELEASED": { en: "released", de: "freigegeben" },
  "milestone.unnamed": { en: "Milestone {number}", de: "Meilenstein {number}" },

  "gist.proof": {
    en: "Held in escrow until delivery is proven, or you confirm it",
    de: "In Treuhand, bis die Lieferung nachgewiesen ist oder Sie sie bestätigen",
  },
  "gist.auto": {
    en: "Held in escrow until delivery is proven",
    de: "In Treuhand, bis die Lieferung nachgewiesen ist",
  },
  "gist.lock": { en: "Held in escrow until {date}", de: "In Treuhand bis {date}" },
  "gist.pastLock": {
    en: "Held in escrow until it is marked as shipped",
    de: "In Treuhand, bis der Versand gemeldet ist",
  },
  "gist.milestones": {
    en: "Held in escrow, released milestone by milestone",
    de: "In Treuhand, freigegeben Meilenstein für Meilenstein",
  },
  "gist.immediate": {
    en: "Goes to the merchant at once, without escrow",
    de: "Geht sofort an den Händler, ohne Treuhand",
  },

  "rule.immediate": {
    en: "{merchant} gets the money as soon as the network has confirmed your payment. It is not held back and cannot be taken back.",
    de: "{merchant} bekommt das Geld, sobald das Netzwerk Ihre Zahlung bestätigt hat. Es wird nicht zurückgehalten und kann nicht zurückgeholt werden.",
  },
  "rule.held": {
    en: "Your money is held by a public contract, not by {merchant} and not by us.",
    de: "Ihr Geld liegt in einem öffentlichen Vertrag, nicht bei {merchant} und nicht bei uns.",
  },
  "rule.proof": {
    en: "{merchant} gets it after delivery is proven: it can then have us release it, and after the time for delivery release it itself. You can release it earlier by confirming that you received everything.",
    de: "{merchant} bekommt es, nachdem die Lieferung nachgewiesen ist: {merchant} kann es dann von uns freigeben lassen und nach der Lieferzeit selbst freigeben. Sie können es früher freigeben, indem Sie den Empfang bestätigen.",
  },
  "rule.auto": {
    en: "{merchant} gets it at the moment when delivery is proven, or earlier if you confirm that you received everything.",
    de: "{merchant} bekommt es in dem Moment, in dem die Lieferung nachgewiesen ist, oder früher, wenn Sie den Empfang bestätigen.",
  },
  "rule.lock": {
    en: "{merchant} gets it from {date} on, provided that it was shipped or delivered, or earlier if you confirm that you received everything.",
    de: "{merchant} bekommt es ab dem {date}, wenn versandt oder geliefert wurde, oder früher, wenn Sie den Empfang bestätigen.",
  },
  "rule.pastLock": {
    en: "The agreed date has passed: the money is released to {merchant} as soon as it is marked as shipped or delivered, or earlier if you confirm that you received everything.",
    de: "Das vereinbarte Datum ist vorbei: Das Geld wird für {merchant} freigegeben, sobald Versand oder Lieferung gemeldet ist, oder früher, wenn Sie den Empfang bestätigen.",
  },
  "rule.milestonesByOracle": {
    en: "{merchant} gets it part by part, as an independent account confirms the agreed milestones. Once that account has confirmed the complete delivery, {merchant} can release the rest. You can release it earlier, the next milestone or all of it.",
    de: "{merchant} bekommt es Stück für Stück, wenn ein unabhängiges Konto die vereinbarten Meilensteine bestätigt. Hat dieses Konto die ganze Lieferung bestätigt, kann {merchant} den Rest freigeben. Sie können früher freigeben: den nächsten Meilenstein oder alles.",
  },
  "rule.milestonesByMerchant": {
    en: "{merchant} gets it part by part, as it reports the agreed milestones as completed: its own word is enough for that. You can release it earlier, the next milestone or all of it.",
    de: "{merchant} bekommt es Stück für Stück, wenn es die vereinbarten Meilensteine als erreicht meldet: Dafür genügt sein eigenes Wort. Sie können früher freigeben: den nächsten Meilenstein oder alles.",
  },
  "rule.milestonesByPayer": {
    en: "{merchant} gets it when you release it, the next milestone or all of it. Nobody else can, except the arbiter in a dispute.",
    de: "{merchant} bekommt es, wenn Sie es freigeben: den nächsten Meilenstein oder alles. Niemand sonst kann das, außer dem Schlichter in einem Streitfall.",
  },
  "rule.provenByOracle": {
    en: "Delivery is confirmed by an independent account. The word of {merchant} is not enough.",
    de: "Die Lieferung bestätigt ein unabhängiges Konto. Das Wort von {merchant} genügt nicht.",
  },
  "rule.provenByMerchant": {
    en: "The word of {merchant} counts as proof of delivery. If something is wrong, raise a dispute before it is given: one that is raised later does not void it.",
    de: "Als Nachweis der Lieferung gilt das Wort von {merchant}. Wenn etwas nicht stimmt, eröffnen Sie einen Streitfall, bevor es gegeben ist: Ein späterer hebt es nicht auf.",
  },
  "rule.provenByPayer": {
    en: "Only your own account can confirm the delivery. The word of {merchant} is not enough.",
    de: "Die Lieferung kann nur Ihr eigenes Konto bestätigen. Das Wort von {merchant} genügt nicht.",
  },
  "rule.provenByParty": {
    en: "Delivery is confirmed by an account that is not independent: its word counts as that of {merchant}. If something is wrong, raise a dispute before it is given: one that is raised later does not void it.",
    de: "Die Lieferung bestätigt ein Konto, das nicht unabhängig ist: Sein Wort gilt wie das von {merchant}. Wenn etwas nicht stimmt, eröffnen Sie einen Streitfall, bevor es gegeben ist: Ein späterer hebt es nicht auf.",
  },
  "rule.shippedByOracle": {
    en: "Only an independent account can say that it was shipped or delivered.",
    de: "Nur ein unabhängiges Konto kann melden, dass versandt oder geliefert wurde.",
  },
  "rule.shippedByMerchant": {
    en: "{merchant} says itself that it was shipped. If that is wrong, raise a dispute before the money can be released.",
    de: "Den Versand meldet {merchant} selbst. Wenn das nicht stimmt, eröffnen Sie einen Streitfall, bevor das Geld freigegeben werden kann.",
  },
  "rule.reclaim.proof": {
    en: "If no delivery is proven within {time} after you pay, you can take it back yourself.",
    de: "Ist {time} nach Ihrer Zahlung keine Lieferung nachgewiesen, können Sie es selbst zurückholen.",
  },
  "rule.reclaimAt.proof": {
    en: "If no delivery is proven by {date}, you can take it back yourself.",
    de: "Ist bis {date} keine Lieferung nachgewiesen, können Sie es selbst zurückholen.",
  },
  "rule.reclaim.lock": {
    en: "If it is not marked as shipped or delivered within {time} after you pay, you can take it back yourself.",
    de: "Ist {time} nach Ihrer Zahlung weder Versand noch Lieferung gemeldet, können Sie es selbst zurückholen.",
  },
  "rule.reclaimAt.lock": {
    en: "If it is not marked as shipped or delivered by {date}, you can take it back yourself.",
    de: "Ist bis {date} weder Versand noch Lieferung gemeldet, können Sie es selbst zurückholen.",
  },
  "rule.reclaim.milestones": {
    en: "What is not released within {time} after you pay, you can take back yourself.",
    de: "Was {time} nach Ihrer Zahlung nicht freigegeben ist, können Sie selbst zurückholen.",
  },
  "rule.reclaim.milestonesByOracle": {
    en: "What is not released within {time} after you pay, you can take back yourself, unless an independent account has confirmed the complete delivery.",
    de: "Was {time} nach Ihrer Zahlung nicht freigegeben ist, können Sie selbst zurückholen, außer wenn ein unabhängiges Konto die ganze Lieferung bestätigt hat.",
  },
  "rule.reclaimAt.milestones": {
    en: "What is not released by {date}, you can take back yourself.",
    de: "Was bis {date} nicht freigegeben ist, können Sie selbst zurückholen.",
  },
  "rule.reclaimAt.milestonesByOracle": {
    en: "What is not released by {date}, you can take back yourself, unless an independent account has confirmed the complete delivery.",
    de: "Was bis {date} nicht freigegeben ist, können Sie selbst zurückholen, außer wenn ein unabhängiges Konto die ganze Lieferung bestätigt hat.",
  },
  "rule.refund": {
    en: "{merchant} can return it to you, or a part of it, at any time before it is released.",
    de: "{merchant} kann es Ihnen jederzeit ganz oder teilweise erstatten, solange es nicht freigegeben ist.",
  },
  "rule.dispute": {
    en: "If something is wrong, you can raise a dispute once, as long as neither you nor {merchant} could end the payment alone. Until the arbiter decides, {merchant} gets nothing unless you release it, and {merchant} can still return it to you. The time for delivery grows by the time of the dispute.",
    de: "Wenn etwas nicht stimmt, können Sie einmal einen Streitfall eröffnen, solange weder Sie noch {merchant} die Zahlung allein beenden können. Bis der Schlichter entscheidet, bekommt {merchant} nichts, wenn Sie es nicht freigeben, und kann es Ihnen noch erstatten. Die Lieferzeit verlängert sich um die Dauer des Streitfalls.",
  },
  "rule.merchantsDispute": {
    en: "{merchant} can raise a dispute once as well. If nobody decides it in time, the payment goes on as before.",
    de: "Auch {merchant} kann einmal einen Streitfall eröffnen. Entscheidet ihn niemand rechtzeitig, geht die Zahlung weiter wie vorher.",
  },
  "undecided.payer": {
    en: "If nobody decides your dispute in time, the money returns to you, unless delivery was proven before you raised it.",
    de: "Entscheidet niemand Ihren Streitfall rechtzeitig, geht das Geld an Sie zurück, außer wenn die Lieferung nachgewiesen war, bevor Sie ihn eröffnet haben.",
  },
  "undecided.oracle": {
    en: "If nobody decides your dispute in time, the payment goes on as before; if the independent account has confirmed delivery by then, {merchant} gets the money.",
    de: "Entscheidet niemand Ihren Streitfall rechtzeitig, geht die Zahlung weiter wie vorher; hat das unabhängige Konto die Lieferung bis dahin bestätigt, bekommt {merchant} das Geld.",
  },
  "undecided.resumes": {
    en: "If nobody decides the dispute in time, the payment goes on as before.",
    de: "Entscheidet niemand den Streitfall rechtzeitig, geht die Zahlung weiter wie vorher.",
  },
  "ending.payer": {
    en: "Then {amount} returns to you: nobody decided your dispute, and delivery was not proven before it.",
    de: "Dann gehen {amount} an Sie zurück: Niemand hat Ihren Streitfall entschieden, und vorher war keine Lieferung nachgewiesen.",
  },
  "ending.payeeByOracle": {
    en: "Then {amount} is released to {merchant}: the independent account has confirmed the delivery.",
    de: "Dann werden {amount} für {merchant} freigegeben: Das unabhängige Konto hat die Lieferung bestätigt.",
  },
  "ending.payeeByMerchant": {
    en: "Then {amount} is released to {merchant}: delivery was proven before you raised the dispute.",
    de: "Dann werden {amount} für {merchant} freigegeben: Die Lieferung war nachgewiesen, bevor Sie den Streitfall eröffnet haben.",
  },
  "ending.resumes.Created": {
    en: "Then the payment goes on as before: {amount} stays in escrow, and nothing is marked as shipped or delivered yet.",
    de: "Dann geht die Zahlung weiter wie vorher: {amount} bleiben in Treuhand, und noch ist weder Versand noch Lieferung gemeldet.",
  },
  "ending.resumes.Shipped": {
    en: "Then the payment goes on as before: {amount} stays in escrow, and is marked as shipped.",
    de: "Dann geht die Zahlung weiter wie vorher: {amount} bleiben in Treuhand, und der Versand ist gemeldet.",
  },
  "ending.resumes.Delivered": {
    en: "Then the payment goes on as before: {amount} stays in escrow, and is marked as delivered.",
    de: "Dann geht die Zahlung weiter wie vorher: {amount} bleiben in Treuhand, und die Lieferung ist gemeldet.",
  },
  "ending.resumes.Proven": {
    en: "Then the payment goes on as delivered: {amount} stays in escrow, and the independent account has confirmed the delivery.",
    de: "Dann geht die Zahlung als geliefert weiter: {amount} bleiben in Treuhand, und das unabhängige Konto hat die Lieferung bestätigt.",
  },
  "ending.payeesRelease": {
    en: "From then on it can be released to {merchant}.",
    de: "Von da an kann es für {merchant} freigegeben werden.",
  },
  "ending.lockOver": {
    en: "The agreed date has passed, so from then on it can be released to {merchant}, and a dispute is not possible any more.",
    de: "Das vereinbarte Datum ist vorbei: Von da an kann es für {merchant} freigegeben werden, und ein Streitfall ist nicht mehr möglich.",
  },
  "ending.lock": {
    en: "From {date} on it can be released to {merchant}.",
    de: "Ab dem {date} kann es für {merchant} freigegeben werden.",
  },
  "ending.pastLock": {
    en: "The agreed date has passed, so it can be released to {merchant} as soon as it is marked as shipped or delivered.",
    de: "Das vereinbarte Datum ist vorbei: Es kann für {merchant} freigegeben werden, sobald Versand oder Lieferung gemeldet ist.",
  },
  "ending.reclaim": {
    en: "The time for delivery is over, so from then on you can take it back yourself.",
    de: "Die Lieferzeit ist vorbei: Von da an können Sie es selbst zurückholen.",
  },
  "ending.ownDispute": {
    en: "You can still raise your own dispute then.",
    de: "Ihren eigenen Streitfall können Sie dann noch eröffnen.",
  },

  "progress.title": { en: "Progress", de: "Fortschritt" },
  "progress.signature": { en: "Your agreement", de: "Ihre Zustimmung" },
  "progress.blocks": { en: "Confirmation by the network", de: "Bestätigung durch das Netzwerk" },
  "progress.blocksOf": { en: "block {seen} of {required}", de: "Block {seen} von {required}" },
  "progress.locked": { en: "Money held safely in escrow", de: "Geld sicher in Treuhand" },
  "progress.delivery": { en: "Delivery", de: "Lieferung" },
  "progress.shipped": { en: "shipped", de: "versandt" },
  "progress.settlement": { en: "Payout to {merchant}", de: "Auszahlung an {merchant}" },
  "progress.done": { en: "done", de: "erledigt" },
  "progress.now": { en: "in progress", de: "läuft" },
  "progress.next": { en: "still to come", de: "steht noch aus" },
  "progress.failed": { en: "did not happen", de: "nicht erfolgt" },

  "status.amount": { en: "{amount} to {merchant}", de: "{amount} an {merchant}" },
  "status.processing.title": { en: "Your payment is on its way", de: "Ihre Zahlung ist unterwegs" },
  "status.processing.text": {
    en: "The network is confirming it. You can close this page: it goes on without you.",
    de: "Das Netzwerk bestätigt sie. Sie können diese Seite schließen: Es geht ohne Sie weiter.",
  },
  "status.locked.title": { en: "Paid – your money is in escrow", de: "Bezahlt – Ihr Geld liegt in Treuhand" },
  "status.locked.text": {
    en: "{merchant} knows that you have paid, and gets the money only under the conditions on this page.",
    de: "{merchant} weiß, dass Sie bezahlt haben, und bekommt das Geld nur unter den Bedingungen auf dieser Seite.",
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
  "status.disputed.title": { en: "Disputed – nothing moves", de: "Streitfall – nichts bewegt sich" },
  "status.disputed.text": {
    en: "The money stays in escrow until the dispute is decided, at the latest on {date}. {undecided}",
    de: "Das Geld bleibt in Treuhand, bis der Streitfall entschieden ist, spätestens am {date}. {undecided}",
  },
  "status.undecided.title": {
    en: "Disputed – nobody decided in time",
    de: "Streitfall – niemand hat rechtzeitig entschieden",
  },
  "status.undecided.text": {
    en: "The arbiter had time until {date}. Now anyone can end the dispute, you as well. {ending}",
    de: "Der Schlichter hatte Zeit bis {date}. Jetzt kann jeder den Streitfall beenden, auch Sie. {ending}",
  },
  "status.disputed.reason": { en: "Reason given", de: "Genannter Grund" },
  "status.resumed": {
    en: "The dispute ended without a decision, and the payment goes on.",
    de: "Der Streitfall endete ohne Entscheidung, und die Zahlung geht weiter.",
  },
  "status.partlyRefunded": {
    en: "{amount} of it went back to the account that paid.",
    de: "{amount} davon gingen an das Konto zurück, das gezahlt hat.",
  },
  "status.partlyCredited": {
    en: "{amount} of it was refunded. The token refused to move {credit} to the account that paid, so the contract keeps that for this account alone: claim it below.",
    de: "{amount} davon wurden erstattet. Der Token hat sich geweigert, {credit} auf das Konto zu bewegen, das gezahlt hat, darum verwahrt der Vertrag das für dieses Konto allein: Holen Sie es unten ab.",
  },
  "status.partlyReleased": {
    en: "{amount} of it was released to {merchant}.",
    de: "{amount} davon wurden für {merchant} freigegeben.",
  },
  "status.refunded.title": { en: "Refunded to you", de: "Ihnen erstattet" },
  "status.refunded.text": {
    en: "{amount} went back to the account that paid.",
    de: "{amount} gingen an das Konto zurück, das gezahlt hat.",
  },
  "status.credit.title": {
    en: "Refunded – claim it below",
    de: "Erstattet – holen Sie es unten ab",
  },
  "status.credit.text": {
    en: "{amount} was refunded. The token refused to move {credit} to the account that paid, so the contract keeps that for this account alone.",
    de: "{amount} wurden erstattet. Der Token hat sich geweigert, {credit} auf das Konto zu bewegen, das gezahlt hat, darum verwahrt der Vertrag das für dieses Konto allein.",
  },
  "status.canceled.title": { en: "This payment was cancelled", de: "Diese Zahlung wurde abgebrochen" },
  "status.canceled.text": {
    en: "{merchant} has cancelled it. Nothing was charged, and it cannot be paid any more.",
    de: "{merchant} hat sie abgebrochen. Es wurde nichts belastet, und sie kann nicht mehr bezahlt werden.",
  },
  "status.expired.title": { en: "This payment has expired", de: "Diese Zahlung ist abgelaufen" },
  "status.expired.text": {
    en: "It could be paid until {date}. Nothing was charged. Ask {merchant} for a new link.",
    de: "Sie konnte bis {date} bezahlt werden. Es wurde nichts belastet. Bitten Sie {merchant} um einen neuen Link.",
  },
  "status.payout.title": { en: "Your part is done", de: "Ihr Teil ist erledigt" },
  "status.payout.text": {
    en: "You have paid. The payout to {merchant} has met a problem, which {merchant} has to solve; there is nothing that you need to do.",
    de: "Sie haben bezahlt. Bei der Auszahlung an {merchant} gab es ein Problem, das {merchant} lösen muss; Sie müssen nichts tun.",
  },
  "status.gone.title": {
    en: "This payment cannot be moved any more",
    de: "Diese Zahlung kann nicht mehr bewegt werden",
  },
  "status.gone.text": {
    en: "It belongs to a test network that is gone. It is shown as it was.",
    de: "Sie gehört zu einem Testnetzwerk, das es nicht mehr gibt. Sie wird gezeigt, wie sie war.",
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
  "qr.copy": { en: "Copy the link", de: "Link kopieren" },
  "qr.hide": { en: "Hide the code", de: "Code ausblenden" },
  "qr.text": {
    en: "Scan this with the phone that has your wallet. It opens this page.",
    de: "Scannen Sie den Code mit dem Handy, auf dem Ihre Wallet ist. Er öffnet diese Seite.",
  },
  "qr.label": { en: "QR code of this page's address", de: "QR-Code der Adresse dieser Seite" },
} as const satisfies Catalogue;
