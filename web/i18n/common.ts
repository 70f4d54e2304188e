// Texts shared by all pages.
import type { Catalogue } from "./translate.ts";

export const common = {
  "language.name": { en: "English", de: "Deutsch" },
  "language.choose": { en: "Language", de: "Sprache" },
  skip: { en: "Skip to content", de: "Zum Inhalt springen" },
  copy: { en: "Copy", de: "Kopieren" },
  copied: { en: "Copied", de: "Kopiert" },
  loading: { en: "Loading…", de: "Wird geladen …" },
  "failed.title": {
    en: "Part of this page failed to load",
    de: "Ein Teil dieser Seite konnte nicht geladen werden",
  },
  "failed.text": {
    en: "Check your connection and try again. Nothing was changed.",
    de: "Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal. Es wurde nichts geändert.",
  },
  "failed.reference": {
    en: "If the problem persists, quote this ID:",
    de: "Wenn das Problem bleibt, nennen Sie diese Nummer:",
  },
  "failed.again": { en: "Try again", de: "Erneut versuchen" },
  "toast.region": { en: "Notifications", de: "Meldungen" },
  "toast.close": { en: "Dismiss notification", de: "Meldung schließen" },
  newTab: { en: "opens in a new tab", de: "öffnet sich in einem neuen Tab" },
} as const satisfies Catalogue;
