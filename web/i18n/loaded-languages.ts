// Which languages a browser has: the reader's own at first, another when it is chosen. Catalogues hold all languages side by
// side; the build (scripts/local/one-language.ts) gives each language a file of its own. Where nothing is built, all are there.
import { storage } from "../ui/storage.ts";
import { type Language, preferredLanguage } from "./translate.ts";

const KEPT_AS = "language";

/** What the reader has chosen, in the page's address or on an earlier visit. */
export function chosenLanguages(): string[] {
  if (typeof location === "undefined") return [];
  const asked = new URLSearchParams(location.search).get("lang");
  return [asked, storage.getItem(KEPT_AS)].filter((tag) => tag !== null);
}

type Load = (language: Language) => Promise<void>;

const loads: Load[] = [];
let current: Language =
  typeof navigator === "undefined"
    ? "en"
    : preferredLanguage([...chosenLanguages(), ...(navigator.languages ?? [])]);

/**
 * Called by each catalogue of a build: adds its texts in the present language, and later in any that is chosen.
 * @public
 */
export function addCatalogue(load: Load): Promise<void> {
  loads.push(load);
  return load(current);
}

/** Keeps the choice for the next visit. @throws if the texts cannot be loaded */
export async function loadLanguage(language: Language): Promise<void> {
  await Promise.all(loads.map((load) => load(language)));
  current = language;
  storage.setItem(KEPT_AS, language);
}
