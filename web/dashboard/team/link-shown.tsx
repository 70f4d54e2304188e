// A link to set a password. It is shown only once, and the user who created it passes it on.
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showMoment } from "../../ui/format.ts";
import { CopyButton } from "../../ui/hex.tsx";
import { team } from "./texts.ts";

/** @param expires Unix seconds */
export type LinkMade = { name: string; email: string; link: string; expires: number };

export function LinkShown({ made, done }: { made: LinkMade; done(): void }) {
  const t = useTexts(team);
  const locale = useLocale();
  const { name, email, link, expires } = made;
  return (
    <div className="card stack card-good" role="status">
      <h2>{t("linkFor", { name })}</h2>
      <p>{t("linkText", { email, time: showMoment(expires, locale) })}</p>
      <code className="secret" data-testid="link">
        {link}
      </code>
      <div className="row">
        <CopyButton value={link} className="button button-main" />
        <button type="button" className="button" onClick={done}>
          {t("linkDone")}
        </button>
      </div>
    </div>
  );
}
