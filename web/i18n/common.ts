// Texts that all pages share.
import type { Catalogue } from "./translate.ts";

export const common = {
  "language.name": { en: "English", de: "Deutsch" },
  "language.choose": { en: "Language", de: "Sprache" },
  skip: { en: "Skip to content", de: "Zum Inhalt springen" },
  copy: { en: "Copy", de: "Kopieren" },
  copied: { en: "Copied", de: "Kopiert" },
  loading: { en: "Loading…", de: "Wird geladen …" },
  newTab: { en: "opens in a new tab", de: "öffnet sich in einem neuen Tab" },
} as const satisfies Catalogue;
