// Wallet texts that are needed before a wallet is chosen; only these are loaded until then.
import type { Catalogue } from "../../i18n/translate.ts";

export const choosing = {
  "choose.title": { en: "Choose your wallet", de: "Wählen Sie Ihre Wallet" },
  "choose.other": { en: "Browser wallet", de: "Wallet im Browser" },
  "choose.none.title": { en: "No wallet found in this browser", de: "In diesem Browser ist keine Wallet" },
  "choose.none.text": {
    en: "Use a browser that has your wallet's extension, or scan this code with the phone that has your wallet.",
    de: "Nehmen Sie einen Browser mit der Erweiterung Ihrer Wallet, oder scannen Sie diesen Code mit dem Handy, auf dem Ihre Wallet ist.",
  },
  "choose.phone.title": { en: "Open this page in your wallet", de: "Öffnen Sie diese Seite in Ihrer Wallet" },
  "choose.phone.text": {
    en: "This browser has no wallet. Choose the one on this phone; the payment opens in it. Any other: copy the link into the wallet's own browser.",
    de: "Dieser Browser hat keine Wallet. Wählen Sie die auf diesem Handy; die Zahlung öffnet sich darin. Jede andere: Kopieren Sie den Link in den Browser der Wallet.",
  },
  "choose.open": { en: "Open in {name}", de: "In {name} öffnen" },
  connecting: { en: "Waiting for {name}…", de: "Warten auf {name} …" },
  "pay.title": { en: "Pay", de: "Zahlen" },
  "rights.title": { en: "Your rights as the payer", de: "Ihre Rechte als Zahler" },
  "rights.connect": {
    en: "Connect the wallet that paid ({payer}) to use them.",
    de: "Verbinden Sie die Wallet, die bezahlt hat ({payer}), um sie zu nutzen.",
  },
  "rights.direct": {
    en: "Each goes straight from your wallet to the contract. Neither we nor the merchant can block it.",
    de: "Jedes geht von Ihrer Wallet direkt an den Vertrag. Weder wir noch der Händler können es verhindern.",
  },
  "revoke.title": {
    en: "Revoke what you signed or allowed",
    de: "Widerrufen, was Sie unterschrieben oder erlaubt haben",
  },
  "revoke.closed": {
    en: "Nothing was paid. If you signed this payment or allowed the escrow to take an amount, connect the wallet that did to revoke it.",
    de: "Es wurde nichts bezahlt. Wenn Sie diese Zahlung unterschrieben oder dem Treuhandvertrag einen Betrag erlaubt haben, verbinden Sie die Wallet, mit der Sie es taten, um es zu widerrufen.",
  },
} as const satisfies Catalogue;
