// Translates texts from one catalogue. A missing key, language or placeholder is a type error.

export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The writing direction of each language. To add a right-to-left language, add its texts and an entry here. */
export const DIRECTIONS: Readonly<Record<Language, "ltr" | "rtl">> = { en: "ltr", de: "ltr" };

/** One text per language, by key. `{name}` is a placeholder. */
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

/** @returns the texts of one language. Inserted values are text, never markup. */
export function translator<C extends Catalogue>(catalogue: C, language: Language): Translate<C> {
  return (key, ...[values]) => {
    const given: Partial<Record<string, string | number>> = values ?? {};
    const text = catalogue[key]?.[language] ?? key;
    return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(given[name] ?? placeholder));
  };
}

/** Returns the primary language of a browser's tag, such as "de-AT", or of a malformed tag, such as "de_DE@euro". */
export const languageIn = (tag: string): Language | undefined =>
  LANGUAGES.find((language) => tag.toLowerCase().split(/[^a-z]/)[0] === language);

/**
 * Whether Intl accepts the tag. On some systems, browsers report tags such as "en-US@posix", for which Intl throws a
 * RangeError.
 */
export function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Returns the user's first language that has texts, or English if there is none. */
export function preferredLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = languageIn(tag);
    if (found) return found;
  }
  return "en";
}
