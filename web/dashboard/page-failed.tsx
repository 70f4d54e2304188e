// Shown inside the frame in place of a page that fails, until the user navigates away.
import { useTexts } from "../i18n/language.tsx";
import { Failed } from "../ui/error-boundary.tsx";
import { dashboard } from "./parts/texts.ts";

export function PageFailed() {
  const t = useTexts(dashboard);
  return (
    <>
      <h1 className="hidden">{t("brand")}</h1>
      <Failed />
    </>
  );
}
