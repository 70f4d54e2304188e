// The page's language. It is the browser's language until the user selects another language, which is remembered for
// the next visit.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { storage } from "../storage.ts";
import { common } from "./common.ts";
import {
  type Catalogue,
  DIRECTIONS,
  isLocale,
  LANGUAGES,
  type Language,
  languageIn,
  preferredLanguage,
  translator,
} from "./translate.ts";

const KEPT_AS = "language";

type Choice = { language: Language; tags: readonly string[]; choose(language: Language): void };

const Context = createContext<Choice>({ language: "en", tags: [], choose: () => undefined });

/** Returns the user's selection from the URL or an earlier visit. */
function chosen(): string[] {
  if (typeof location === "undefined") return [];
  const asked = new URLSearchParams(location.search).get("lang");
  return [asked, storage.getItem(KEPT_AS)].filter((tag) => tag !== null);
}

/** @param tags the user's languages, preferred first; on a server, from the request */
export function LanguageProvider({
  tags = navigator.languages,
  children,
}: {
  tags?: readonly string[];
  children: ReactNode;
}) {
  const [language, setLanguage] = useState(() => preferredLanguage([...chosen(), ...tags]));
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = DIRECTIONS[language];
  }, [language]);
  const value = useMemo(
    () => ({
      language,
      tags,
      choose(next: Language) {
        storage.setItem(KEPT_AS, next);
        setLanguage(next);
      },
    }),
    [language, tags],
  );
  return <Context value={value}>{children}</Context>;
}

/**
 * Returns the locale for money and dates: the user's regional variant of the page's language ("en-GB") if they have
 * one, otherwise the language's default.
 */
export function useLocale(): string {
  const { language, tags } = useContext(Context);
  return tags.find((tag) => languageIn(tag) === language && isLocale(tag)) ?? language;
}

/** Returns the page's texts in the user's language: `const t = useTexts(pay); t("title")`. */
export function useTexts<C extends Catalogue>(catalogue: C) {
  const { language } = useContext(Context);
  return useMemo(() => translator(catalogue, language), [catalogue, language]);
}

/** Buttons that select the language. Each button is labeled in its own language. */
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
