// Texts in several languages from one catalogue: a missing key, language or placeholder is a type error.

export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** In which direction a language is written: a right-to-left one is a catalogue and its entry here. */
export const DIRECTIONS: Readonly<Record<Language, "ltr" | "rtl">> = { en: "ltr", de: "ltr" };

/** A text per language, by key. `{name}` in it is a placeholder. */
export type Catalogue = Readonly<Record<string, Readonly<Record<Language, string>>>>;

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Values<Text extends string> = [Placeholders<Text>] extends [never]
  ? []
  : [values: Record<Placeholders<Text>, string | number>];

export type Translate<C extends Catalogue> = <Key extends keyof C & string>(
  key: Key,
  ...values: Values<C[Key]["en"]>
) => string;

/** @returns the texts of one language; what is put into a placeholder is text as well, and never markup */
export function translator<C extends Catalogue>(catalogue: C, language: Language): Translate<C> {
  return (key, ...[values]) => {
    const given: Partial<Record<string, string | number>> = values ?? {};
    const text = catalogue[key]?.[language] ?? key;
    return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(given[name] ?? placeholder));
  };
}

/** The language that a browser's tag begins with: of "de-AT", and of what is no proper tag such as "de_DE@euro". */
export const languageIn = (tag: string): Language | undefined =>
  LANGUAGES.find((language) => tag.toLowerCase().split(/[^a-z]/)[0] === language);

/** Whether Intl takes it: some systems make their browsers name what it refuses with a RangeError ("en-US@posix"). */
export function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** The first of the reader's languages that there are texts for; English if none. */
export function preferredLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = languageIn(tag);
    if (found) return found;
  }
  return "en";
}
