// Texts of the page's wallet section.
import type { Catalogue } from "../../i18n/translate.ts";
import { choosing } from "./choosing-texts.ts";

export const wallet = {
  ...choosing,
  "connected.as": { en: "Connected account", de: "Verbundenes Konto" },
  disconnect: { en: "Disconnect", de: "Trennen" },
  "network.title": {
    en: "Your wallet is on another network",
    de: "Ihre Wallet ist in einem anderen Netzwerk",
  },
  "network.text": {
    en: "This payment is on {network}. Switch, and your wallet will ask you to allow it.",
    de: "Diese Zahlung läuft über {network}. Wechseln Sie; Ihre Wallet wird Sie um Erlaubnis fragen.",
  },
  "network.switch": { en: "Switch to {network}", de: "Zu {network} wechseln" },

  "pairing.title": { en: "Connect your wallet", de: "Verbinden Sie Ihre Wallet" },
  "pairing.text": {
    en: "Scan this code with the wallet on your phone. It connects to this page; paying comes after.",
    de: "Scannen Sie diesen Code mit der Wallet auf Ihrem Handy. Sie verbindet sich mit dieser Seite; bezahlt wird danach.",
  },
  "pairing.phone": {
    en: "Open your wallet's app and allow the connection. Then come back to this page.",
    de: "Öffnen Sie die App Ihrer Wallet und erlauben Sie die Verbindung. Kommen Sie dann auf diese Seite zurück.",
  },
  "pairing.wait": { en: "Asking WalletConnect…", de: "WalletConnect wird gefragt …" },
  "pairing.open": { en: "Open my wallet", de: "Meine Wallet öffnen" },
  "pairing.label": { en: "WalletConnect's code", de: "Code von WalletConnect" },
  "pairing.copy": { en: "Copy the code", de: "Code kopieren" },
  "pairing.cancel": { en: "Choose another wallet", de: "Andere Wallet wählen" },

  "silent.connect.title": {
    en: "Your wallet has not answered yet",
    de: "Ihre Wallet hat noch nicht geantwortet",
  },
  "silent.connect.text": {
    en: "Open it from your browser's toolbar: it may wait for its password or show its question there.",
    de: "Öffnen Sie sie in der Leiste Ihres Browsers: Vielleicht wartet sie auf ihr Passwort oder zeigt ihre Frage dort.",
  },
  "silent.connect.stop": { en: "Stop waiting", de: "Nicht länger warten" },
  "silent.title": { en: "Your wallet has not answered yet", de: "Ihre Wallet hat noch nicht geantwortet" },
  "silent.text": {
    en: "Open your wallet: its question may wait there. You can also stop waiting and pay in another way.",
    de: "Öffnen Sie Ihre Wallet: Vielleicht wartet ihre Frage dort. Sie können auch aufhören zu warten und anders zahlen.",
  },
  "silent.action": {
    en: "Open your wallet: its question may wait there. You can also stop waiting.",
    de: "Öffnen Sie Ihre Wallet: Vielleicht wartet ihre Frage dort. Sie können auch aufhören zu warten.",
  },
  "silent.stop": { en: "Stop waiting", de: "Nicht länger warten" },
  "problem.silent.title": { en: "Your wallet did not answer", de: "Ihre Wallet hat nicht geantwortet" },
  "problem.silent.text": {
    en: "This page sends no signature that comes now. If a question is still open in your wallet, decline it there: a transaction that you confirm later would still pay. Then try again, or connect another wallet.",
    de: "Diese Seite sendet keine Unterschrift mehr, die jetzt noch kommt. Ist in Ihrer Wallet noch eine Frage offen, lehnen Sie sie dort ab: Eine Transaktion, die Sie später bestätigen, würde noch zahlen. Versuchen Sie es dann noch einmal oder verbinden Sie eine andere Wallet.",
  },
  "problem.unanswered.title": { en: "Your wallet did not answer", de: "Ihre Wallet hat nicht geantwortet" },
  "problem.unanswered.text": {
    en: "If a question is still open in your wallet, decline it there: a transaction that you confirm later would still take effect. Then try again.",
    de: "Ist in Ihrer Wallet noch eine Frage offen, lehnen Sie sie dort ab: Eine Transaktion, die Sie später bestätigen, würde noch wirken. Versuchen Sie es dann noch einmal.",
  },

  "costs.balance": { en: "In this account", de: "Auf diesem Konto" },
  "costs.fee": { en: "Network fee", de: "Netzwerkgebühr" },
  "costs.none": { en: "None for you", de: "Für Sie keine" },
  "costs.most": { en: "up to {fee}", de: "bis zu {fee}" },
  "costs.total": { en: "You pay", de: "Sie zahlen" },
  "costs.nothingElse": { en: "{amount} and nothing else", de: "{amount}, sonst nichts" },
  "costs.totalAndFee": { en: "{amount} and the network fee", de: "{amount} und die Netzwerkgebühr" },

  "pay.button": { en: "Pay {amount}", de: "{amount} zahlen" },
  "pay.again": { en: "Try again", de: "Noch einmal versuchen" },
  "pay.signature": {
    en: "Your wallet asks you for one signature. It costs no fee and is good for this payment only.",
    de: "Ihre Wallet bittet Sie um eine Unterschrift. Sie kostet nichts und gilt nur für diese Zahlung.",
  },
  "pay.signatures": {
    en: "Your wallet asks you for two signatures: one lets the escrow take exactly this amount, the other pays. They cost no fee.",
    de: "Ihre Wallet bittet Sie um zwei Unterschriften: Die eine erlaubt dem Treuhandvertrag genau diesen Betrag, die andere zahlt. Sie kosten nichts.",
  },
  "pay.signatures.any": {
    en: "Your wallet asks you for two signatures: one lets the escrow take any amount, the other pays. They cost no fee.",
    de: "Ihre Wallet bittet Sie um zwei Unterschriften: Die eine erlaubt dem Treuhandvertrag jeden Betrag, die andere zahlt. Sie kosten nichts.",
  },
  "pay.any.title": {
    en: "You allow any amount of {currency}, until you revoke it",
    de: "Sie erlauben jeden Betrag in {currency}, bis Sie das widerrufen",
  },
  "pay.any.text": {
    en: "This token has no permit for a single amount: what you sign first lets the escrow contract take ANY amount from this account, also after this payment. The contract takes only what you sign or send for each payment. This page offers to revoke it afterwards. To allow no more than {amount}, send the transaction yourself.",
    de: "Dieser Token kennt keine Erlaubnis für einen einzelnen Betrag: Was Sie zuerst unterschreiben, erlaubt dem Treuhandvertrag JEDEN Betrag von diesem Konto, auch nach dieser Zahlung. Der Vertrag nimmt nur, was Sie für jede Zahlung unterschreiben oder senden. Diese Seite bietet danach den Widerruf an. Um nicht mehr als {amount} zu erlauben, senden Sie die Transaktion selbst.",
  },
  "pay.either": {
    en: "Your wallet asks you for a signature where that is enough, else for an approval of exactly this amount and a transaction, for which network fees apply.",
    de: "Ihre Wallet bittet Sie um eine Unterschrift, wo das genügt, sonst um eine Erlaubnis für genau diesen Betrag und eine Transaktion, für die Netzwerkgebühren anfallen.",
  },
  "pay.transaction": {
    en: "Your wallet asks you to send a transaction, and first to allow the escrow to take this amount if it may not yet. Network fees apply.",
    de: "Ihre Wallet bittet Sie, eine Transaktion zu senden, und vorher, dem Treuhandvertrag diesen Betrag zu erlauben, falls das noch nicht geschehen ist. Es fallen Netzwerkgebühren an.",
  },
  "pay.byTransaction": {
    en: "Send the transaction myself instead",
    de: "Stattdessen die Transaktion selbst senden",
  },
  "pay.bySignature": { en: "Pay with a signature instead", de: "Stattdessen mit einer Unterschrift zahlen" },
  "signed.amount": { en: "You pay", de: "Sie zahlen" },
  "signed.heldBy": { en: "Held by the escrow contract", de: "Verwahrt vom Treuhandvertrag" },
  "signed.passes": { en: "Through the contract", de: "Über den Vertrag" },
  "signed.for": { en: "For {merchant}", de: "Für {merchant}" },
  "signed.until": { en: "Can be used until", de: "Benutzbar bis" },
  "signed.raw": {
    en: "Your wallet shows the same as data; amounts there are in the token's smallest unit.",
    de: "Ihre Wallet zeigt dasselbe als Daten; Beträge stehen dort in der kleinsten Einheit des Tokens.",
  },
  "pay.shown": { en: "What you will sign", de: "Was Sie unterschreiben" },
  "step.checking": { en: "Checking contract and network…", de: "Vertrag und Netzwerk werden geprüft …" },
  "step.approve": {
    en: "Allow the escrow to take this amount: confirm in your wallet.",
    de: "Erlauben Sie dem Treuhandvertrag diesen Betrag: Bestätigen Sie in Ihrer Wallet.",
  },
  "step.approving": {
    en: "Waiting for your approval to be mined…",
    de: "Ihre Erlaubnis wird ins Netzwerk aufgenommen …",
  },
  "step.permit": {
    en: "First signature: let the escrow take exactly this amount. Confirm it in your wallet.",
    de: "Erste Unterschrift: Erlauben Sie dem Treuhandvertrag genau diesen Betrag. Bestätigen Sie sie in Ihrer Wallet.",
  },
  "step.permit.any": {
    en: "First signature: let the escrow take any amount, until you revoke it. Confirm it in your wallet.",
    de: "Erste Unterschrift: Erlauben Sie dem Treuhandvertrag jeden Betrag, bis Sie das widerrufen. Bestätigen Sie sie in Ihrer Wallet.",
  },
  "step.sign": {
    en: "Confirm the signature in your wallet.",
    de: "Bestätigen Sie die Unterschrift in Ihrer Wallet.",
  },
  "step.handing-in": { en: "Handing in your signature…", de: "Ihre Unterschrift wird übermittelt …" },
  "step.send": {
    en: "Confirm the payment in your wallet.",
    de: "Bestätigen Sie die Zahlung in Ihrer Wallet.",
  },
  "step.mining": { en: "Sent. Waiting for the network…", de: "Gesendet. Warten auf das Netzwerk …" },

  "kept.signature": {
    en: "You have signed this payment already, but the signature did not get through. You need not sign again.",
    de: "Sie haben diese Zahlung schon unterschrieben, aber die Unterschrift kam nicht an. Sie müssen nicht noch einmal unterschreiben.",
  },
  "kept.transaction": {
    en: "You have sent the transaction already, but it was not reported to the service. Do not pay again.",
    de: "Sie haben die Transaktion schon gesendet, aber der Dienst weiß noch nichts davon. Zahlen Sie nicht noch einmal.",
  },
  "kept.send": { en: "Send it now", de: "Jetzt übermitteln" },

  "problem.rejected.title": { en: "You declined in your wallet", de: "Sie haben in Ihrer Wallet abgelehnt" },
  "problem.rejected.text": {
    en: "Nothing was paid. Try again whenever you like.",
    de: "Es wurde nichts bezahlt. Versuchen Sie es noch einmal, wann Sie möchten.",
  },
  "problem.busy.title": { en: "Your wallet is waiting for you", de: "Ihre Wallet wartet auf Sie" },
  "problem.busy.text": {
    en: "A request is open in your wallet already. Open your wallet and answer it, then try again.",
    de: "In Ihrer Wallet ist schon eine Anfrage offen. Öffnen Sie die Wallet, beantworten Sie sie und versuchen Sie es noch einmal.",
  },
  "problem.offline.title": { en: "Connection lost", de: "Verbindung unterbrochen" },
  "problem.offline.text": {
    en: "We could not get through. Nothing is lost and nothing is paid twice: check your connection and try again.",
    de: "Wir kamen nicht durch. Nichts ist verloren und nichts wird doppelt bezahlt: Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
  },
  "problem.often.title": { en: "Too many requests right now", de: "Zurzeit zu viele Anfragen" },
  "problem.often.text": {
    en: "The payment service takes no more from your connection for the moment. Nothing is lost and nothing is paid twice: try again in a minute.",
    de: "Der Zahlungsdienst nimmt von Ihrem Anschluss im Moment nichts mehr an. Nichts ist verloren und nichts wird doppelt bezahlt: Versuchen Sie es in einer Minute noch einmal.",
  },
  "problem.changed.title": {
    en: "Your wallet will be asked for something else",
    de: "Ihre Wallet wird um etwas anderes gebeten",
  },
  "problem.changed.text": {
    en: "Something has changed since this was shown to you. Nothing was signed. Read below what is asked of you now, then pay.",
    de: "Seit Ihnen das gezeigt wurde, hat sich etwas geändert. Es wurde nichts unterschrieben. Lesen Sie unten, worum Sie jetzt gebeten werden, und zahlen Sie dann.",
  },
  "problem.outdated.title": {
    en: "Something has changed on the network",
    de: "Im Netzwerk hat sich etwas geändert",
  },
  "problem.outdated.text": {
    en: "The contract's record of this payment is another than this page shows. Nothing was sent. Wait a moment until the page shows it, then read again what would happen.",
    de: "Der Vertrag verzeichnet zu dieser Zahlung etwas anderes, als diese Seite zeigt. Es wurde nichts gesendet. Warten Sie einen Moment, bis die Seite es zeigt, und lesen Sie dann noch einmal, was geschehen würde.",
  },
  "problem.account.title": {
    en: "The amount cannot be taken from this account",
    de: "Der Betrag kann von diesem Konto nicht genommen werden",
  },
  "problem.account.text": {
    en: "The account holds or allows too little, what you signed was used or canceled before, or the account may not pay here. Nothing was paid. Try again, send the transaction yourself, or use another account.",
    de: "Auf dem Konto ist zu wenig, oder es ist zu wenig erlaubt, das Unterschriebene wurde schon benutzt oder widerrufen, oder das Konto darf hier nicht zahlen. Es wurde nichts bezahlt. Versuchen Sie es noch einmal, senden Sie die Transaktion selbst oder nehmen Sie ein anderes Konto.",
  },
  "problem.gas.title": {
    en: "Not enough {currency} for the network fee",
    de: "Nicht genug {currency} für die Netzwerkgebühr",
  },
  "problem.gas.text": {
    en: "Your account needs a little {currency} on {network} to send the transaction. Send some to it, or choose another account in your wallet. Nothing was paid.",
    de: "Ihr Konto braucht etwas {currency} auf {network}, um die Transaktion zu senden. Senden Sie etwas dorthin oder wählen Sie in Ihrer Wallet ein anderes Konto. Es wurde nichts bezahlt.",
  },
  "problem.balance.title": { en: "Not enough in this account", de: "Zu wenig auf diesem Konto" },
  "problem.balance.text": {
    en: "It holds {has}, and the payment needs {needs}. Add funds on {network}, or switch to another account in your wallet. Nothing was paid.",
    de: "Es hat {has}, die Zahlung braucht {needs}. Zahlen Sie auf {network} ein oder wechseln Sie in Ihrer Wallet das Konto. Es wurde nichts bezahlt.",
  },
  "problem.allowance.title": {
    en: "The escrow may not take the amount",
    de: "Der Treuhandvertrag darf den Betrag nicht nehmen",
  },
  "problem.allowance.text": {
    en: "Your wallet has allowed less than the payment needs, or the account holds too little. Try again, and allow the full amount. Nothing was paid.",
    de: "Ihre Wallet hat weniger erlaubt, als die Zahlung braucht, oder auf dem Konto ist zu wenig. Versuchen Sie es noch einmal und erlauben Sie den vollen Betrag. Es wurde nichts bezahlt.",
  },
  "problem.reverted.title": {
    en: "The network refused the transaction",
    de: "Das Netzwerk hat die Transaktion abgelehnt",
  },
  "problem.reverted.text": {
    en: "It was undone, so the amount did not leave your account. Try again; if it happens twice, contact the merchant.",
    de: "Sie wurde rückgängig gemacht, der Betrag hat Ihr Konto nicht verlassen. Versuchen Sie es noch einmal; wenn es wieder geschieht, wenden Sie sich an den Händler.",
  },
  "problem.tampered.title": {
    en: "Stopped: this is another contract",
    de: "Angehalten: Das ist ein anderer Vertrag",
  },
  "problem.tampered.text": {
    en: "The contract that your wallet sees does not know this payment. Nothing was signed. Check that your wallet is on the right network, and ask the merchant.",
    de: "Der Vertrag, den Ihre Wallet sieht, kennt diese Zahlung nicht. Es wurde nichts unterschrieben. Prüfen Sie das Netzwerk Ihrer Wallet und fragen Sie den Händler.",
  },
  "problem.wrongNetwork.title": {
    en: "Your wallet has changed its network",
    de: "Ihre Wallet hat das Netzwerk gewechselt",
  },
  "problem.wrongNetwork.text": {
    en: "Nothing was signed. Switch back to {network} and try again.",
    de: "Es wurde nichts unterschrieben. Wechseln Sie zurück zu {network} und versuchen Sie es noch einmal.",
  },
  "problem.expired.title": { en: "It is too late for this", de: "Dafür ist es zu spät" },
  "problem.expired.text": {
    en: "The time for it is over, so the contract refuses. Nothing was paid.",
    de: "Die Zeit dafür ist vorbei, der Vertrag lehnt ab. Es wurde nichts bezahlt.",
  },
  "problem.early.title": { en: "It is too early for this", de: "Dafür ist es zu früh" },
  "problem.early.text": {
    en: "By the network's clock the time is not over yet. It is possible after {date}; nothing has changed until then.",
    de: "Nach der Uhr des Netzwerks ist die Zeit noch nicht vorbei. Es geht nach dem {date}; bis dahin ändert sich nichts.",
  },
  "problem.taken.title": { en: "This is paid already", de: "Das ist schon bezahlt" },
  "problem.taken.text": {
    en: "The contract has this payment already and takes no second one. This page will show it in a moment.",
    de: "Der Vertrag hat diese Zahlung schon und nimmt keine zweite. Diese Seite zeigt sie gleich.",
  },
  "problem.paused.title": { en: "No payments right now", de: "Zurzeit keine Zahlungen" },
  "problem.paused.text": {
    en: "The contract takes no new payments in this token at the moment. Try later, or ask the merchant.",
    de: "Der Vertrag nimmt in diesem Token gerade keine neuen Zahlungen an. Versuchen Sie es später oder fragen Sie den Händler.",
  },
  "problem.refused.title": { en: "The payment service says no", de: "Der Zahlungsdienst lehnt ab" },
  "problem.refused.text": { en: "It says: {message}", de: "Er sagt: {message}" },
  "problem.other.title": { en: "Something went wrong", de: "Etwas ist schiefgegangen" },
  "problem.other.text": {
    en: "Your wallet says: {message} Try again, or use another wallet.",
    de: "Ihre Wallet sagt: {message} Versuchen Sie es noch einmal oder nehmen Sie eine andere Wallet.",
  },
  "problem.funding.title": { en: "The payment did not go through", de: "Die Zahlung kam nicht zustande" },
  "problem.funding.text": {
    en: "Its transaction failed, so nothing left your account. You can pay again.",
    de: "Ihre Transaktion ist fehlgeschlagen, nichts hat Ihr Konto verlassen. Sie können noch einmal zahlen.",
  },

  "rights.early": {
    en: "Received everything already?",
    de: "Schon alles erhalten?",
  },
  "rights.otherAccount": {
    en: "This account did not pay. Switch to {payer} in your wallet.",
    de: "Dieses Konto hat nicht bezahlt. Wechseln Sie in Ihrer Wallet zu {payer}.",
  },
  "milestone.name": { en: "Release the next milestone", de: "Nächsten Meilenstein freigeben" },
  "milestone.ask": {
    en: "You release milestone {number}: {amount} goes to {merchant} and cannot be reclaimed.",
    de: "Sie geben Meilenstein {number} frei: {amount} geht an {merchant} und kann nicht zurückgeholt werden.",
  },
  "milestone.askNamed": {
    en: "You release milestone {number}: {amount} goes to {merchant} for “{description}” and cannot be reclaimed.",
    de: "Sie geben Meilenstein {number} frei: {amount} geht an {merchant} für „{description}“ und kann nicht zurückgeholt werden.",
  },
  "milestone.partial": {
    en: "That is what is left of the {planned} planned for it.",
    de: "Das ist der Rest der dafür geplanten {planned}.",
  },
  "milestone.left": { en: "{left} stays in escrow.", de: "{left} bleiben in Treuhand." },
  "milestone.noneLeft": {
    en: "Nothing stays in escrow after it.",
    de: "Danach bleibt nichts in Treuhand.",
  },
  "milestone.do": { en: "Release this milestone", de: "Diesen Meilenstein freigeben" },
  "release.name": { en: "Confirm receipt", de: "Empfang bestätigen" },
  "release.ask": {
    en: "You confirm that you received everything. {amount} goes to {merchant} and cannot be reclaimed. This is final.",
    de: "Sie bestätigen, alles erhalten zu haben. {amount} geht an {merchant} und kann nicht zurückgeholt werden. Das ist endgültig.",
  },
  "release.do": { en: "Release the money", de: "Geld freigeben" },
  "dispute.name": { en: "Raise a dispute", de: "Streitfall eröffnen" },
  "dispute.ask": {
    en: "You can do this once. Nothing moves until the dispute is decided or its time is up. {undecided} What you write is public and stays so: leave out names and addresses.",
    de: "Das geht einmal. Nichts bewegt sich, bis der Streitfall entschieden oder seine Zeit abgelaufen ist. {undecided} Was Sie schreiben, ist öffentlich und bleibt es: Nennen Sie keine Namen und Adressen.",
  },
  "dispute.reason": { en: "What is wrong?", de: "Was stimmt nicht?" },
  "dispute.missing": {
    en: "Say in a few words what is wrong.",
    de: "Sagen Sie in wenigen Worten, was nicht stimmt.",
  },
  "dispute.do": { en: "Stop the money", de: "Geld anhalten" },
  "reclaim.name": { en: "Take the money back", de: "Geld zurückholen" },
  "reclaim.ask": {
    en: "The time for delivery is over and none was proven. {amount} goes back to your account.",
    de: "Die Lieferzeit ist vorbei, und keine Lieferung ist nachgewiesen. {amount} geht auf Ihr Konto zurück.",
  },
  "reclaim.do": { en: "Take it back", de: "Zurückholen" },
  "expire.name": { en: "End the dispute", de: "Streitfall beenden" },
  "expire.ask": {
    en: "The time to decide the dispute is over, so anyone can end it. {ending}",
    de: "Die Zeit für eine Entscheidung ist vorbei, darum kann jeder den Streitfall beenden. {ending}",
  },
  "expire.do": { en: "End it now", de: "Jetzt beenden" },
  "claim.name": { en: "Claim your refund", de: "Erstattung abholen" },
  "claim.ask": {
    en: "A refund could not be sent to your account, so the contract keeps {amount} for it. It is paid to this account and to no other.",
    de: "Eine Erstattung konnte nicht an Ihr Konto gesendet werden, darum verwahrt der Vertrag {amount} für Sie. Der Betrag geht an dieses Konto und an kein anderes.",
  },
  "claim.do": { en: "Claim it", de: "Abholen" },

  "pay.otherPayer": {
    en: "Only the account {payer} can make this payment. Switch to it in your wallet. Nothing was signed.",
    de: "Nur das Konto {payer} kann diese Zahlung leisten. Wechseln Sie in Ihrer Wallet zu diesem Konto. Es wurde nichts unterschrieben.",
  },

  "revoke.none": {
    en: "There is nothing to revoke: of this account, the escrow can take nothing.",
    de: "Es gibt nichts zu widerrufen: Von diesem Konto kann der Treuhandvertrag nichts nehmen.",
  },
  "revoke.ALLOWANCE": {
    en: "This account allows the escrow contract to take {amount}. Set this to zero: then no payment that you only sign can take anything.",
    de: "Dieses Konto erlaubt dem Treuhandvertrag, {amount} zu nehmen. Setzen Sie das auf null: Dann kann keine Zahlung, die Sie nur unterschreiben, etwas nehmen.",
  },
  "revoke.ALLOWANCE.any": {
    en: "This account allows the escrow contract to take any amount of {currency}, with your signature for each payment. Set this to zero: then no payment that you only sign can take anything.",
    de: "Dieses Konto erlaubt dem Treuhandvertrag, jeden Betrag in {currency} zu nehmen, mit Ihrer Unterschrift für jede Zahlung. Setzen Sie das auf null: Dann kann keine Zahlung, die Sie nur unterschreiben, etwas nehmen.",
  },
  "revoke.ERC_3009": {
    en: "You signed this payment, and it is not made yet. Until {date} your signature can be used. Cancel it at the token: you sign the cancellation, and send it.",
    de: "Sie haben diese Zahlung unterschrieben, und sie ist noch nicht ausgeführt. Bis {date} kann Ihre Unterschrift benutzt werden. Widerrufen Sie sie beim Token: Sie unterschreiben den Widerruf und senden ihn.",
  },
  "revoke.PERMIT2": {
    en: "You signed this payment, and it is not made yet. Until {date} your signature can be used. Cancel it at Permit2 with a transaction; your other payments are not affected.",
    de: "Sie haben diese Zahlung unterschrieben, und sie ist noch nicht ausgeführt. Bis {date} kann Ihre Unterschrift benutzt werden. Widerrufen Sie sie bei Permit2 mit einer Transaktion; Ihre anderen Zahlungen sind nicht betroffen.",
  },
  "revoke.ERC_2612": {
    en: "You signed this payment and a permit for its amount, and it is not made yet. Until {date} both can be used. A permit for zero makes the other one void: you sign it, and send it.",
    de: "Sie haben diese Zahlung und eine Erlaubnis für ihren Betrag unterschrieben, und sie ist noch nicht ausgeführt. Bis {date} kann beides benutzt werden. Eine Erlaubnis über null macht die andere ungültig: Sie unterschreiben sie und senden sie.",
  },
  "revoke.DAI_PERMIT": {
    en: "You signed this payment and a permit for any amount, and it is not made yet. Until {date} both can be used. The same permit with “allowed” set to false makes it void and allows the escrow nothing: you sign it, and send it.",
    de: "Sie haben diese Zahlung und eine Erlaubnis für jeden Betrag unterschrieben, und sie ist noch nicht ausgeführt. Bis {date} kann beides benutzt werden. Dieselbe Erlaubnis mit „allowed“ auf false macht sie ungültig und erlaubt dem Treuhandvertrag nichts: Sie unterschreiben sie und senden sie.",
  },
  "revoke.signature": { en: "Revoke my signature", de: "Unterschrift widerrufen" },
  "revoke.allowance": { en: "Remove the allowance", de: "Erlaubnis entfernen" },
  "revoke.done": {
    en: "Revoked. The escrow cannot use it any more.",
    de: "Widerrufen. Der Treuhandvertrag kann es nicht mehr benutzen.",
  },

  "act.confirm": { en: "Confirm in your wallet.", de: "Bestätigen Sie in Ihrer Wallet." },
  "act.sent": { en: "Sent. Waiting for the network…", de: "Gesendet. Warten auf das Netzwerk …" },
  "act.done": { en: "Done. This page shows it in a moment.", de: "Erledigt. Diese Seite zeigt es gleich." },
  back: { en: "Back", de: "Zurück" },
} as const satisfies Catalogue;
