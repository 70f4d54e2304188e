// A secret that is shown only once, with a copy button.
import { useState } from "react";
import { common } from "../../i18n/common.ts";
import { useTexts } from "../../i18n/language.tsx";
import { dashboard } from "./texts.ts";

export function ShownOnce({ title, secret, done }: { title: string; secret: string; done(): void }) {
  const t = useTexts(dashboard);
  const c = useTexts(common);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    setCopied(true);
  };
  return (
    <div className="card stack card-good" role="status">
      <h2>{title}</h2>
      <p>{t("secret.once")}</p>
      <code className="secret" data-testid="secret">
        {secret}
      </code>
      <div className="row">
        <button type="button" className="button button-main" onClick={copy}>
          {copied ? c("copied") : c("copy")}
        </button>
        <button type="button" className="button" onClick={done}>
          {t("secret.kept")}
        </button>
      </div>
    </div>
  );
}
