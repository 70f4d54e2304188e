// Texts of the page's wallet section.
import type { Catalogue } from "../../i18n/translate.ts";
import { choosing } from "./choosing-texts.ts";

export const walletTexts = {
  ...choosing,
  "connected.as": { en: "Connected account", de: "Verbundenes Konto" },
  disconnect: { en: "Disconnect", de: "Trennen" },
  "network.title": {
    en: "Your wallet is on a different network",
    de: "Ihre Wallet ist in einem anderen Netzwerk",
  },
  "network.text": {
    en: "This payment is on {network}. Switch networks, then confirm in your wallet.",
    de: "Diese Zahlung läuft über {network}. Wechseln Sie das Netzwerk und bestätigen Sie in Ihrer Wallet.",
  },
  "network.switch": { en: "Switch to {network}", de: "Zu {network} wechseln" },

  "pairing.title": { en: "Connect your wallet", de: "Verbinden Sie Ihre Wallet" },
  "pairing.text": {
    en: "Scan this code with the wallet on your phone to connect it. You will pay in a later step.",
    de: "Scannen Sie diesen Code mit der Wallet auf Ihrem Handy, um sie zu verbinden. Bezahlt wird danach.",
  },
  "pairing.phone": {
    en: "Open your wallet app and approve the connection. Then return to this page.",
    de: "Öffnen Sie Ihre Wallet-App und erlauben Sie die Verbindung. Kommen Sie dann auf diese Seite zurück.",
  },
  "pairing.wait": { en: "Contacting WalletConnect…", de: "Verbindung zu WalletConnect …" },
  "pairing.open": { en: "Open wallet", de: "Wallet öffnen" },
  "pairing.label": { en: "WalletConnect code", de: "WalletConnect-Code" },
  "pairing.copy": { en: "Copy code", de: "Code kopieren" },
  "pairing.cancel": { en: "Choose another wallet", de: "Andere Wallet wählen" },

  "silent.connect.title": {
    en: "Your wallet has not responded yet",
    de: "Ihre Wallet hat noch nicht geantwortet",
  },
  "silent.connect.text": {
    en: "Open it from your browser's toolbar. It may be locked, or the request may be waiting there.",
    de: "Öffnen Sie sie in der Leiste Ihres Browsers. Vielleicht ist sie gesperrt, oder die Anfrage wartet dort.",
  },
  "silent.connect.stop": { en: "Stop waiting", de: "Nicht länger warten" },
  "silent.title": { en: "Your wallet has not responded yet", de: "Ihre Wallet hat noch nicht geantwortet" },
  "silent.text": {
    en: "Open your wallet. The request may be waiting there. You can also stop waiting and pay another way.",
    de: "Öffnen Sie Ihre Wallet: Vielleicht wartet die Anfrage dort. Sie können auch aufhören zu warten und anders zahlen.",
  },
  "silent.action": {
    en: "Open your wallet. The request may be waiting there. You can also stop waiting.",
    de: "Öffnen Sie Ihre Wallet: Vielleicht wartet die Anfrage dort. Sie können auch aufhören zu warten.",
  },
  "silent.stop": { en: "Stop waiting", de: "Nicht länger warten" },
  "problem.silent.title": { en: "Your wallet did not respond", de: "Ihre Wallet hat nicht geantwortet" },
  "problem.silent.text": {
    en: "If you sign now, this page will not send the signature. If a request is still open in your wallet, decline it, because a transaction that you confirm later would still make the payment. Then try again, or connect a different wallet.",
    de: "Wenn Sie jetzt noch unterschreiben, sendet diese Seite die Unterschrift nicht mehr. Ist in Ihrer Wallet noch eine Anfrage offen, lehnen Sie sie ab: Eine Transaktion, die Sie später bestätigen, würde noch zahlen. Versuchen Sie es dann noch einmal oder verbinden Sie eine andere Wallet.",
  },
  "problem.unanswered.title": { en: "Your wallet did not respond", de: "Ihre Wallet hat nicht geantwortet" },
  "problem.unanswered.text": {
    en: "If a request is still open in your wallet, decline it, because a transaction that you confirm later would still take effect. Then try again.",
    de: "Ist in Ihrer Wallet noch eine Anfrage offen, lehnen Sie sie ab: Eine Transaktion, die Sie später bestätigen, würde noch wirksam. Versuchen Sie es dann noch einmal.",
  },

  "costs.balance": { en: "Account balance", de: "Guthaben" },
  "costs.fee": { en: "Network fee", de: "Netzwerkgebühr" },
  "costs.none": { en: "None for you", de: "Für Sie keine" },
  "costs.most": { en: "up to {fee}", de: "bis zu {fee}" },
  "costs.total": { en: "You pay", de: "Sie zahlen" },
  "costs.nothingElse": { en: "{amount} and nothing else", de: "{amount}, sonst nichts" },
  "costs.totalAndFee": { en: "{amount} plus the network fee", de: "{amount} plus Netzwerkgebühr" },

  "pay.button": { en: "Pay {amount}", de: "{amount} zahlen" },
  "pay.again": { en: "Try again", de: "Noch einmal versuchen" },
  "pay.signature": {
    en: "Your wallet will ask for one signature. The signature is free and valid for this payment only.",
    de: "Ihre Wallet bittet Sie um eine Unterschrift. Sie kostet nichts und gilt nur für diese Zahlung.",
  },
  "pay.signatures": {
    en: "Your wallet will ask for two signatures: one lets the escrow take exactly this amount, and the other makes the payment. Both are free.",
    de: "Ihre Wallet bittet Sie um zwei Unterschriften: Die eine erlaubt dem Treuhandvertrag genau diesen Betrag, die andere zahlt. Sie kosten nichts.",
  },
  "pay.signatures.any": {
    en: "Your wallet will ask for two signatures: one lets the escrow take any amount, and the other makes the payment. Both are free.",
    de: "Ihre Wallet bittet Sie um zwei Unterschriften: Die eine erlaubt dem Treuhandvertrag jeden Betrag, die andere zahlt. Sie kosten nichts.",
  },
  "pay.any.title": {
    en: "You will allow any amount of {currency} until you revoke the permit",
    de: "Sie erlauben jeden Betrag in {currency}, bis Sie das widerrufen",
  },
  "pay.any.text": {
    en: "This token does not support permits for a single amount, so your first signature will let the escrow contract take ANY amount from this account, even after this payment. For each payment, the contract takes only what you sign or send. You can revoke the permit on this page afterward. To allow no more than {amount}, pay with a transaction instead.",
    de: "Dieser Token unterstützt keine Erlaubnis für einen einzelnen Betrag: Ihre erste Unterschrift erlaubt dem Treuhandvertrag JEDEN Betrag von diesem Konto, auch nach dieser Zahlung. Der Vertrag nimmt nur, was Sie für jede Zahlung unterschreiben oder senden. Diese Seite bietet danach den Widerruf an. Um nicht mehr als {amount} zu erlauben, zahlen Sie stattdessen mit einer Transaktion.",
  },
  "pay.either": {
    en: "Your wallet will ask for a signature if a signature is enough. Otherwise, it will ask you to approve exactly this amount and send a transaction, and network fees will apply.",
    de: "Ihre Wallet bittet Sie um eine Unterschrift, wenn das genügt. Sonst bittet sie um eine Erlaubnis für genau diesen Betrag und eine Transaktion, für die Netzwerkgebühren anfallen.",
  },
  "pay.transaction": {
    en: "Your wallet will ask you to approve this amount for the escrow, unless it is already approved, and then to send a transaction. Network fees apply.",
    de: "Ihre Wallet bittet Sie, dem Treuhandvertrag diesen Betrag zu erlauben, falls das noch nicht geschehen ist, und dann eine Transaktion zu senden. Es fallen Netzwerkgebühren an.",
  },
  "pay.byTransaction": {
    en: "Pay with a transaction instead",
    de: "Stattdessen mit einer Transaktion zahlen",
  },
  "pay.bySignature": { en: "Pay with a signature instead", de: "Stattdessen mit einer Unterschrift zahlen" },
  "signed.amount": { en: "You pay", de: "Sie zahlen" },
  "signed.heldBy": { en: "Held by escrow contract", de: "Verwahrt vom Treuhandvertrag" },
  "signed.passes": { en: "Via the contract", de: "Über den Vertrag" },
  "signed.for": { en: "For {merchant}", de: "Für {merchant}" },
  "signed.until": { en: "Valid until", de: "Gültig bis" },
  "signed.raw": {
    en: "Your wallet will show the same data, with amounts in the token's smallest unit.",
    de: "Ihre Wallet zeigt dieselben Daten; Beträge stehen dort in der kleinsten Einheit des Tokens.",
  },
  "pay.shown": { en: "What you will sign", de: "Was Sie unterschreiben" },
  "step.checking": { en: "Checking contract and network…", de: "Vertrag und Netzwerk werden geprüft …" },
  "step.approve": {
    en: "Approve this amount for the escrow. Confirm in your wallet.",
    de: "Erlauben Sie dem Treuhandvertrag diesen Betrag: Bestätigen Sie in Ihrer Wallet.",
  },
  "step.approving": {
    en: "Approval sent. Waiting for the network…",
    de: "Erlaubnis gesendet. Warten auf das Netzwerk …",
  },
  "step.permit": {
    en: "First signature: let the escrow take exactly this amount. Confirm in your wallet.",
    de: "Erste Unterschrift: Erlauben Sie dem Treuhandvertrag genau diesen Betrag. Bestätigen Sie in Ihrer Wallet.",
  },
  "step.permit.any": {
    en: "First signature: let the escrow take any amount until you revoke it. Confirm in your wallet.",
    de: "Erste Unterschrift: Erlauben Sie dem Treuhandvertrag jeden Betrag, bis Sie das widerrufen. Bestätigen Sie in Ihrer Wallet.",
  },
  "step.sign": {
    en: "Confirm the signature in your wallet.",
    de: "Bestätigen Sie die Unterschrift in Ihrer Wallet.",
  },
  "step.handing-in": { en: "Submitting your signature…", de: "Ihre Unterschrift wird übermittelt …" },
  "step.send": {
    en: "Confirm the payment in your wallet.",
    de: "Bestätigen Sie die Zahlung in Ihrer Wallet.",
  },
  "step.mining": { en: "Sent. Waiting for the network…", de: "Gesendet. Warten auf das Netzwerk …" },

  "kept.signature": {
    en: "You already signed this payment, but the signature was not delivered. You do not need to sign again.",
    de: "Sie haben diese Zahlung schon unterschrieben, aber die Unterschrift kam nicht an. Sie müssen nicht noch einmal unterschreiben.",
  },
  "kept.transaction": {
    en: "You already sent the transaction, but it was not reported to the service. Do not pay again.",
    de: "Sie haben die Transaktion schon gesendet, aber sie wurde dem Dienst nicht gemeldet. Zahlen Sie nicht noch einmal.",
  },
  "kept.send": { en: "Notify the service", de: "Dem Dienst melden" },

  "problem.rejected.title": { en: "You declined the request", de: "Sie haben die Anfrage abgelehnt" },
  "problem.rejected.text": {
    en: "Nothing was signed or sent. You can try again.",
    de: "Es wurde nichts unterschrieben oder gesendet. Sie können es noch einmal versuchen.",
  },
  "problem.busy.title": { en: "Your wallet is waiting for you", de: "Ihre Wallet wartet auf Sie" },
  "problem.busy.text": {
    en: "A request is already open in your wallet. Respond to it, then try again.",
    de: "In Ihrer Wallet ist schon eine Anfrage offen. Beantworten Sie sie und versuchen Sie es noch einmal.",
  },
  "problem.offline.title": { en: "Connection lost", de: "Verbindung unterbrochen" },
  "problem.offline.text": {
    en: "Nothing was lost, and nothing will be paid twice. Check your connection and try again.",
    de: "Nichts ist verloren und nichts wird doppelt bezahlt. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
  },
  "problem.often.title": { en: "Too many requests", de: "Zu viele Anfragen" },
  "problem.often.text": {
    en: "The payment service is limiting requests from your connection. Nothing was lost, and nothing will be paid twice. Try again in a minute.",
    de: "Der Zahlungsdienst begrenzt die Anfragen von Ihrem Anschluss. Nichts ist verloren und nichts wird doppelt bezahlt. Versuchen Sie es in einer Minute noch einmal.",
  },
  "problem.changed.title": {
    en: "Your wallet request has changed",
    de: "Die Anfrage an Ihre Wallet hat sich geändert",
  },
  "problem.changed.text": {
    en: "The request has changed since it was shown to you. Nothing was signed. Review the new request below before you pay.",
    de: "Seit Ihnen das gezeigt wurde, hat sich etwas geändert. Es wurde nichts unterschrieben. Prüfen Sie unten die neue Anfrage und zahlen Sie dann.",
  },
  "problem.outdated.title": {
    en: "Something changed on the network",
    de: "Im Netzwerk hat sich etwas geändert",
  },
  "problem.outdated.text": {
    en: "The contract's record of this payment differs from what this page shows. Nothing was sent. Wait until the page updates, then review what your action would do.",
    de: "Der Stand dieser Zahlung im Vertrag weicht von dieser Seite ab. Es wurde nichts gesendet. Warten Sie, bis sich die Seite aktualisiert, und lesen Sie dann noch einmal, was geschehen würde.",
  },
  "problem.account.title": {
    en: "This account cannot pay the amount",
    de: "Dieses Konto kann den Betrag nicht zahlen",
  },
  "problem.account.text": {
    en: "The balance or allowance is too low, your signature was already used or canceled, or this account is not allowed to make this payment. Nothing was paid. Try again, pay with a transaction, or use a different account.",
    de: "Guthaben oder Erlaubnis reichen nicht, Ihre Unterschrift wurde schon benutzt oder widerrufen, oder das Konto darf hier nicht zahlen. Es wurde nichts bezahlt. Versuchen Sie es noch einmal, zahlen Sie mit einer Transaktion oder nehmen Sie ein anderes Konto.",
  },
  "problem.gas.title": {
    en: "Not enough {currency} for the network fee",
    de: "Nicht genug {currency} für die Netzwerkgebühr",
  },
  "problem.gas.text": {
    en: "Your account needs some {currency} on {network} to send the transaction. Add some, or switch to a different account in your wallet. Nothing was paid.",
    de: "Ihr Konto braucht etwas {currency} auf {network}, um die Transaktion zu senden. Laden Sie es auf oder wechseln Sie in Ihrer Wallet das Konto. Es wurde nichts bezahlt.",
  },
  "problem.balance.title": { en: "Insufficient balance", de: "Guthaben reicht nicht" },
  "problem.balance.text": {
    en: "This account has {has}, but the payment needs {needs}. Add funds on {network}, or switch to a different account in your wallet. Nothing was paid.",
    de: "Dieses Konto hat {has}, die Zahlung braucht {needs}. Zahlen Sie auf {network} ein oder wechseln Sie in Ihrer Wallet das Konto. Es wurde nichts bezahlt.",
  },
  "problem.allowance.title": {
    en: "The escrow cannot take the amount",
    de: "Der Treuhandvertrag kann den Betrag nicht nehmen",
  },
  "problem.allowance.text": {
    en: "Your wallet approved less than the payment needs, or the balance is too low. Try again and approve the full amount. Nothing was paid.",
    de: "Ihre Wallet hat weniger erlaubt, als die Zahlung braucht, oder das Guthaben reicht nicht. Versuchen Sie es noch einmal und erlauben Sie den vollen Betrag. Es wurde nichts bezahlt.",
  },
  "problem.reverted.title": {
    en: "The network rejected the transaction",
    de: "Das Netzwerk hat die Transaktion abgelehnt",
  },
  "problem.reverted.text": {
    en: "The transaction was reverted, so the amount did not leave your account. Try again. If it fails again, contact the merchant.",
    de: "Sie wurde rückgängig gemacht, der Betrag hat Ihr Konto nicht verlassen. Versuchen Sie es noch einmal. Wenn sie wieder fehlschlägt, wenden Sie sich an den Händler.",
  },
  "problem.tampered.title": {
    en: "Stopped: wrong contract",
    de: "Angehalten: falscher Vertrag",
  },
  "problem.tampered.text": {
    en: "The contract that your wallet sees does not match this payment. Nothing was signed. Check that your wallet is on the right network, and contact the merchant.",
    de: "Der Vertrag, den Ihre Wallet sieht, passt nicht zu dieser Zahlung. Es wurde nichts unterschrieben. Prüfen Sie das Netzwerk Ihrer Wallet und wenden Sie sich an den Händler.",
  },
  "problem.wrongNetwork.title": {
    en: "Your wallet switched networks",
    de: "Ihre Wallet hat das Netzwerk gewechselt",
  },
  "problem.wrongNetwork.text": {
    en: "Nothing was signed. Switch back to {network} and try again.",
    de: "Es wurde nichts unterschrieben. Wechseln Sie zurück zu {network} und versuchen Sie es noch einmal.",
  },
  "problem.expired.title": { en: "The deadline has passed", de: "Die Frist ist abgelaufen" },
  "problem.expired.text": {
    en: "The contract no longer accepts this action. Nothing was changed.",
    de: "Der Vertrag lässt das nicht mehr zu. Es wurde nichts geändert.",
  },
  "problem.early.title": { en: "Not possible yet", de: "Noch nicht möglich" },
  "problem.early.text": {
    en: "By the network's clock, the deadline has not passed yet. You can do this after {date}. Nothing will change until then.",
    de: "Nach der Uhr des Netzwerks ist die Frist noch nicht abgelaufen. Es geht nach dem {date}; bis dahin ändert sich nichts.",
  },
  "problem.taken.title": { en: "Already paid", de: "Bereits bezahlt" },
  "problem.taken.text": {
    en: "The contract already has this payment and does not accept a second one. This page will show the payment in a moment.",
    de: "Der Vertrag hat diese Zahlung schon und nimmt keine zweite. Diese Seite zeigt sie gleich.",
  },
  "problem.paused.title": { en: "No payments right now", de: "Zurzeit keine Zahlungen" },
  "problem.paused.text": {
    en: "The contract is not accepting new payments in this token. Try again later, or contact the merchant.",
    de: "Der Vertrag nimmt in diesem Token gerade keine neuen Zahlungen an. Versuchen Sie es später noch einmal oder wenden Sie sich an den Händler.",
  },
  "problem.refused.title": {
    en: "Rejected by the payment service",
    de: "Vom Zahlungsdienst abgelehnt",
  },
  "problem.refused.text": { en: "Reason: {message}", de: "Grund: {message}" },
  "problem.other.title": { en: "Something went wrong", de: "Etwas ist schiefgegangen" },
  "problem.other.text": {
    en: "Your wallet reported: {message} Try again, or use a different wallet.",
    de: "Ihre Wallet meldet: {message} Versuchen Sie es noch einmal oder nehmen Sie eine andere Wallet.",
  },
  "problem.funding.title": { en: "The payment did not go through", de: "Die Zahlung kam nicht zustande" },
  "problem.funding.text": {
    en: "The transaction failed, so the amount did not leave your account. You can pay again.",
    de: "Die Transaktion ist fehlgeschlagen, der Betrag hat Ihr Konto nicht verlassen. Sie können noch einmal zahlen.",
  },

  "rights.early": {
    en: "Already received everything?",
    de: "Schon alles erhalten?",
  },
  "rights.otherAccount": {
    en: "This account did not pay. Switch to {payer} in your wallet.",
    de: "Dieses Konto hat nicht bezahlt. Wechseln Sie in Ihrer Wallet zu {payer}.",
  },
  "milestone.name": { en: "Release next milestone", de: "Nächsten Meilenstein freigeben" },
  "milestone.ask": {
    en: "This will release milestone {number}: {amount} will go to {merchant} and cannot be reclaimed.",
    de: "Sie geben Meilenstein {number} frei: {amount} geht an {merchant} und kann nicht zurückgeholt werden.",
  },
  "milestone.askNamed": {
    en: "This will release milestone {number}: {amount} will go to {merchant} for “{description}” and cannot be reclaimed.",
    de: "Sie geben Meilenstein {number} frei: {amount} geht an {merchant} für „{description}“ und kann nicht zurückgeholt werden.",
  },
  "milestone.partial": {
    en: "This is the remainder of the {planned} planned for this milestone.",
    de: "Das ist der Rest der dafür geplanten {planned}.",
  },
  "milestone.left": { en: "{left} will stay in escrow.", de: "{left} bleiben in Treuhand." },
  "milestone.noneLeft": {
    en: "Nothing will stay in escrow after that.",
    de: "Danach bleibt nichts in Treuhand.",
  },
  "milestone.do": { en: "Release this milestone", de: "Diesen Meilenstein freigeben" },
  "release.name": { en: "Confirm receipt", de: "Empfang bestätigen" },
  "release.ask": {
    en: "You confirm that you have received everything. {amount} will go to {merchant} and cannot be reclaimed. This is final.",
    de: "Sie bestätigen, alles erhalten zu haben. {amount} geht an {merchant} und kann nicht zurückgeholt werden. Das ist endgültig.",
  },
  "release.do": { en: "Release the money", de: "Geld freigeben" },
  "dispute.name": { en: "Raise a dispute", de: "Streitfall eröffnen" },
  "dispute.ask": {
    en: "You can raise a dispute only once. The money will be on hold until the dispute is decided or its deadline passes. {undecided} Your text will be permanently public, so leave out names and addresses.",
    de: "Das geht einmal. Das Geld ist angehalten, bis der Streitfall entschieden oder seine Frist abgelaufen ist. {undecided} Ihr Text ist dauerhaft öffentlich: Nennen Sie keine Namen und Adressen.",
  },
  "dispute.reason": { en: "What is wrong?", de: "Was stimmt nicht?" },
  "dispute.missing": {
    en: "Describe the problem in a few words.",
    de: "Beschreiben Sie das Problem in wenigen Worten.",
  },
  "dispute.do": { en: "Raise dispute now", de: "Streitfall jetzt eröffnen" },
  "reclaim.name": { en: "Reclaim your money", de: "Geld zurückholen" },
  "reclaim.ask": {
    en: "The delivery deadline has passed without proof of delivery. {amount} will go back to your account.",
    de: "Die Lieferfrist ist ohne Liefernachweis abgelaufen. {amount} geht auf Ihr Konto zurück.",
  },
  "reclaim.do": { en: "Reclaim now", de: "Jetzt zurückholen" },
  "expire.name": { en: "End the dispute", de: "Streitfall beenden" },
  "expire.ask": {
    en: "The deadline to decide the dispute has passed, so anyone can end it. {ending}",
    de: "Die Frist für eine Entscheidung ist abgelaufen, darum kann jeder den Streitfall beenden. {ending}",
  },
  "expire.do": { en: "End it now", de: "Jetzt beenden" },
  "claim.name": { en: "Claim your refund", de: "Erstattung abholen" },
  "claim.ask": {
    en: "A refund could not be sent to your account, so the contract holds {amount} for this account. The amount can be paid to this account only.",
    de: "Eine Erstattung konnte nicht an Ihr Konto gesendet werden, darum verwahrt der Vertrag {amount} dafür. Der Betrag geht nur an dieses Konto.",
  },
  "claim.do": { en: "Claim it", de: "Abholen" },

  "pay.otherPayer": {
    en: "Only the account {payer} can make this payment. Switch to it in your wallet. Nothing was signed.",
    de: "Nur das Konto {payer} kann diese Zahlung leisten. Wechseln Sie in Ihrer Wallet zu diesem Konto. Es wurde nichts unterschrieben.",
  },

  "revoke.none": {
    en: "Nothing to revoke: the escrow cannot take anything from this account.",
    de: "Nichts zu widerrufen: Der Treuhandvertrag kann von diesem Konto nichts nehmen.",
  },
  "revoke.ALLOWANCE": {
    en: "This account allows the escrow contract to take {amount}. Once you set the allowance to zero, a payment made by signature alone can no longer take anything.",
    de: "Dieses Konto erlaubt dem Treuhandvertrag, {amount} zu nehmen. Setzen Sie die Erlaubnis auf null: Danach kann keine Zahlung allein mit Ihrer Unterschrift etwas nehmen.",
  },
  "revoke.ALLOWANCE.any": {
    en: "This account allows the escrow contract to take any amount of {currency}, but each payment still requires your signature. Once you set the allowance to zero, a payment made by signature alone can no longer take anything.",
    de: "Dieses Konto erlaubt dem Treuhandvertrag, jeden Betrag in {currency} zu nehmen, mit Ihrer Unterschrift für jede Zahlung. Setzen Sie die Erlaubnis auf null: Danach kann keine Zahlung allein mit Ihrer Unterschrift etwas nehmen.",
  },
  "revoke.ERC_3009": {
    en: "You signed this payment, but it has not been made yet. Your signature can be used until {date}. To cancel the signature in the token contract, sign and send a cancellation.",
    de: "Sie haben diese Zahlung unterschrieben, aber sie ist noch nicht ausgeführt. Ihre Unterschrift kann bis {date} benutzt werden. Widerrufen Sie sie beim Token: Sie unterschreiben und senden einen Widerruf.",
  },
  "revoke.PERMIT2": {
    en: "You signed this payment, but it has not been made yet. Your signature can be used until {date}. To cancel the signature in Permit2, send a transaction. Your other payments will not be affected.",
    de: "Sie haben diese Zahlung unterschrieben, aber sie ist noch nicht ausgeführt. Ihre Unterschrift kann bis {date} benutzt werden. Widerrufen Sie sie bei Permit2 mit einer Transaktion; Ihre anderen Zahlungen sind nicht betroffen.",
  },
  "revoke.ERC_2612": {
    en: "You signed this payment and a permit for its amount, but the payment has not been made yet. Both signatures can be used until {date}. To invalidate that permit, sign and send a new permit for zero.",
    de: "Sie haben diese Zahlung und eine Erlaubnis für ihren Betrag unterschrieben, aber die Zahlung ist noch nicht ausgeführt. Beide Unterschriften können bis {date} benutzt werden. Um diese Erlaubnis ungültig zu machen, unterschreiben und senden Sie eine neue Erlaubnis über null.",
  },
  "revoke.DAI_PERMIT": {
    en: "You signed this payment and a permit for any amount, but the payment has not been made yet. Both signatures can be used until {date}. To invalidate that permit, sign and send the same permit with “allowed” set to false, so that the escrow is not allowed to take anything.",
    de: "Sie haben diese Zahlung und eine Erlaubnis für jeden Betrag unterschrieben, aber die Zahlung ist noch nicht ausgeführt. Beide Unterschriften können bis {date} benutzt werden. Um diese Erlaubnis ungültig zu machen, unterschreiben und senden Sie dieselbe Erlaubnis mit „allowed“ auf false: Sie erlaubt dem Treuhandvertrag nichts.",
  },
  "revoke.signature": { en: "Revoke signature", de: "Unterschrift widerrufen" },
  "revoke.allowance": { en: "Remove allowance", de: "Erlaubnis entfernen" },
  "revoke.done": {
    en: "Revoked. The escrow can no longer use the signature or allowance.",
    de: "Widerrufen. Der Treuhandvertrag kann es nicht mehr benutzen.",
  },

  "act.confirm": { en: "Confirm in your wallet.", de: "Bestätigen Sie in Ihrer Wallet." },
  "act.sent": { en: "Sent. Waiting for the network…", de: "Gesendet. Warten auf das Netzwerk …" },
  "act.done": {
    en: "Done. This page will update in a moment.",
    de: "Erledigt. Diese Seite aktualisiert sich gleich.",
  },
  back: { en: "Back", de: "Zurück" },
} as const satisfies Catalogue;
