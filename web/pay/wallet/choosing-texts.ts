// Wallet texts that the page needs before the payer chooses a wallet. The other wallet texts are loaded later.
import type { Catalogue } from "../../i18n/translate.ts";

export const choosing = {
  "choose.title": { en: "Choose your wallet", de: "Wählen Sie Ihre Wallet" },
  "choose.other": { en: "Browser wallet", de: "Wallet im Browser" },
  "choose.none.title": {
    en: "No wallet found in this browser",
    de: "Keine Wallet in diesem Browser gefunden",
  },
  "choose.none.text": {
    en: "Use a browser with your wallet extension, or scan this code with the phone that has your wallet.",
    de: "Nehmen Sie einen Browser mit der Erweiterung Ihrer Wallet, oder scannen Sie diesen Code mit dem Handy, auf dem Ihre Wallet ist.",
  },
  "choose.phone.title": { en: "Open this page in your wallet", de: "Öffnen Sie diese Seite in Ihrer Wallet" },
  "choose.phone.text": {
    en: "This browser has no wallet. Choose your wallet app to open the payment in it. To use a different wallet, copy the link and open it in that wallet's browser.",
    de: "Dieser Browser hat keine Wallet. Wählen Sie Ihre Wallet-App; die Zahlung öffnet sich darin. Für jede andere Wallet kopieren Sie den Link in deren Browser.",
  },
  "choose.open": { en: "Open in {name}", de: "In {name} öffnen" },
  connecting: { en: "Waiting for {name}…", de: "Warten auf {name} …" },
  "pay.title": { en: "Pay", de: "Zahlen" },
  "rights.title": { en: "Your rights as the payer", de: "Ihre Rechte als Zahler" },
  "rights.connect": {
    en: "To use these rights, connect the wallet that paid ({payer}).",
    de: "Verbinden Sie die Wallet, die bezahlt hat ({payer}), um sie zu nutzen.",
  },
  "rights.direct": {
    en: "You exercise each right with a transaction that goes directly from your wallet to the contract. Neither we nor the merchant can block the transaction.",
    de: "Jedes geht von Ihrer Wallet direkt an den Vertrag. Weder wir noch der Händler können es verhindern.",
  },
  "revoke.title": {
    en: "Revoke signatures and allowances",
    de: "Unterschriften und Erlaubnisse widerrufen",
  },
  "revoke.closed": {
    en: "Nothing was paid. If you signed this payment or allowed the escrow to take an amount, connect the wallet that you used and revoke the signature or the allowance here.",
    de: "Es wurde nichts bezahlt. Wenn Sie diese Zahlung unterschrieben oder dem Treuhandvertrag einen Betrag erlaubt haben, verbinden Sie die Wallet, mit der Sie das getan haben, und widerrufen Sie es hier.",
  },
} as const satisfies Catalogue;
