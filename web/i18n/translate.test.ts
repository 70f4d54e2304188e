// Tests the translation of texts and the selection of the language.
import { describe, expect, test } from "bun:test";
import { pay } from "../pay/payment/texts.ts";
import { walletTexts } from "../pay/wallet/texts.ts";
import { common } from "./common.ts";
import { type Catalogue, isLocale, LANGUAGES, preferredLanguage, translator } from "./translate.ts";

const catalogue = {
  hello: { en: "Hello {name}, {name}!", de: "Hallo {name}!" },
  plain: { en: "Pay", de: "Zahlen" },
} as const satisfies Catalogue;

describe("a translator", () => {
  test("fills every placeholder in every language", () => {
    expect(translator(catalogue, "en")("hello", { name: "Ada" })).toBe("Hello Ada, Ada!");
    expect(translator(catalogue, "de")("hello", { name: "Ada" })).toBe("Hallo Ada!");
    expect(translator(catalogue, "de")("plain")).toBe("Zahlen");
  });

  test("inserts every value as text", () => {
    expect(translator(catalogue, "de")("hello", { name: "{name} $& <b>" })).toBe("Hallo {name} $& <b>!");
  });
});

describe("the language", () => {
  test("is the user's first available language", () => {
    expect(preferredLanguage(["fr-FR", "de-AT", "en"])).toBe("de");
    expect(preferredLanguage(["EN-us"])).toBe("en");
    expect(preferredLanguage(["de_DE.UTF-8@euro", "en"])).toBe("de");
  });

  test("is English otherwise", () => {
    expect(preferredLanguage(["fr", "ja"])).toBe("en");
    expect(preferredLanguage([])).toBe("en");
  });
});

test("a locale is accepted by Intl", () => {
  expect(["en", "de-AT", "en-US@posix", "de_DE", ""].filter(isLocale)).toEqual(["en", "de-AT"]);
});

test("every text has the same placeholders in every language", () => {
  const names = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
  const all: Catalogue = { ...common, ...pay, ...walletTexts };
  for (const [key, texts] of Object.entries(all)) {
    for (const language of LANGUAGES) {
      expect(names(texts[language]), `${key} ${language}`).toEqual(names(texts.en));
    }
  }
});
