// Explains why a request failed, with the API's own message.
import { useTexts } from "../../i18n/language.tsx";
import { Notice } from "../../ui/notice.tsx";
import { dashboard } from "./texts.ts";

export function Problem({ error }: { error: Error | null }) {
  const t = useTexts(dashboard);
  if (!error) return null;
  return <Notice tone="bad">{error.name === "Unreachable" ? t("error.away") : error.message}</Notice>;
}
