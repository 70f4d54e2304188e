// The page's language: the reader's own, until they choose another; the choice is kept for their next visit.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { storage } from "../ui/storage.ts";
import { common } from "./common.ts";
import {
  type Catalogue,
  isLocale,
  LANGUAGES,
  type Language,
  languageIn,
  preferredLanguage,
  translator,
} from "./translate.ts";

const KEPT_AS = "language";

const Context = createContext<{ language: Language; choose(language: Language): void }>({
  language: "en",
  choose: () => undefined,
});

function initial(): Language {
  const asked = new URLSearchParams(location.search).get("lang");
  const kept = storage.getItem(KEPT_AS);
  return preferredLanguage([asked, kept, ...navigator.languages].filter((tag) => tag !== null));
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(initial);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo(
    () => ({
      language,
      choose(chosen: Language) {
        storage.setItem(KEPT_AS, chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <Context value={value}>{children}</Context>;
}

/**
 * How money and dates are written: as in the reader's own country where he reads its language ("en-GB"), else as the
 * language is usually written.
 */
export function useLocale(): string {
  const { language } = useContext(Context);
  return navigator.languages.find((tag) => languageIn(tag) === language && isLocale(tag)) ?? language;
}

/** The page's own texts in the reader's language: `const t = useTexts(pay); t("title")`. */
export function useTexts<C extends Catalogue>(catalogue: C) {
  const { language } = useContext(Context);
  return useMemo(() => translator(catalogue, language), [catalogue, language]);
}

/** Buttons that choose the language, each in its own. */
export function LanguageChoice() {
  const { language, choose } = useContext(Context);
  const t = useTexts(common);
  return (
    <fieldset className="choice">
      <legend className="hidden">{t("language.choose")}</legend>
      {LANGUAGES.map((one) => (
        <button
          key={one}
          type="button"
          lang={one}
          className="choice-item"
          aria-pressed={one === language}
          onClick={() => choose(one)}
        >
          {common["language.name"][one]}
        </button>
      ))}
    </fieldset>
  );
}
