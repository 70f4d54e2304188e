// Stands in for a page that fails, between what frames it. It is left behind with its address.
import { useTexts } from "../i18n/language.tsx";
import { Failed } from "../ui/error-boundary.tsx";
import { dashboard } from "./texts.ts";

export function PageFailed() {
  const t = useTexts(dashboard);
  return (
    <>
      <h1 className="hidden">{t("brand")}</h1>
      <Failed />
    </>
  );
}
