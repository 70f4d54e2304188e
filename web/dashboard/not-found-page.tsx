// The page for an unknown dashboard URL.
import { Link } from "@tanstack/react-router";
import { useTexts } from "../i18n/language.tsx";
import { dashboard } from "./parts/texts.ts";
import { useTitle } from "./parts/use-title.ts";

export function NotFoundPage() {
  const t = useTexts(dashboard);
  useTitle(t("notFound.title"));
  return (
    <>
      <h1>{t("notFound.title")}</h1>
      <p>{t("notFound.text")}</p>
      <p>
        <Link to="/payments">{t("notFound.payments")}</Link>
      </p>
    </>
  );
}
