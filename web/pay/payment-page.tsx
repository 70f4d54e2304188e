// The payment page as a whole.
import { LanguageChoice, useTexts } from "../i18n/language.tsx";
import { pay } from "./texts.ts";

export function PaymentPage() {
  const t = useTexts(pay);
  return (
    <div className="sheet">
      <main id="content" className="card stack">
        <h1>{t("unknown.title")}</h1>
        <p>{t("unknown.text")}</p>
      </main>
      <footer className="foot">
        <LanguageChoice />
      </footer>
    </div>
  );
}
