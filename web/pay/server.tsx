// Renders the payment page on the server, so that the document contains amount, merchant and status before any script
// runs (api/web/payment-document.ts). The browser renders the page again, because only the browser knows the wallets,
// the time zone and the user's choices.
import { renderToString } from "react-dom/server";
import { isIntentId } from "#core/ids.ts";
import { LanguageProvider } from "../i18n/language.tsx";
import { DIRECTIONS, preferredLanguage, translator } from "../i18n/translate.ts";
import { drawQrCode } from "../ui/draw-qr-code.ts";
import { EnvironmentProvider, isPhoneAgent } from "../ui/environment.tsx";
import type { Checkout } from "./payment/checkout.ts";
import { pay } from "./payment/texts.ts";
import { PaymentPage } from "./payment-page.tsx";

export type Asked = {
  checkout: Checkout;
  address: string;
  /** The user's languages, preferred first. */
  languages: readonly string[];
  userAgent: string;
  walletConnectProjectId: string | null;
};

export type Rendered = { language: string; direction: "ltr" | "rtl"; title: string; html: string };

export function renderPayment({ checkout, languages, userAgent, ...asked }: Asked): Rendered {
  const id = isIntentId(checkout.id) ? checkout.id : undefined;
  const language = preferredLanguage(languages);
  const isPhone = isPhoneAgent(userAgent);
  const qrCode = isPhone ? null : { ...drawQrCode(asked.address), address: asked.address };
  const { amount, currency, merchantName: merchant } = checkout.data;
  return {
    language,
    direction: DIRECTIONS[language],
    title: translator(pay, language)("document.title", { amount: `${amount} ${currency}`, merchant }),
    html: renderToString(
      <EnvironmentProvider value={{ ...asked, isPhone, qrCode }}>
        <LanguageProvider tags={languages}>
          <PaymentPage id={id} first={checkout} />
        </LanguageProvider>
      </EnvironmentProvider>,
    ),
  };
}
