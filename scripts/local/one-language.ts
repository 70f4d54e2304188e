// A catalogue's source holds every language side by side, so that a translator and the type checker see them together. A
// browser shows one: this plugin makes a file of each language, and the catalogue of the one that web/i18n/loaded-languages.ts
// loads.
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { LANGUAGES } from "#web/i18n/translate.ts";
import { root } from "./paths.ts";

type Texts = Record<string, Record<string, string>>;

const LOADED = join(root, "web/i18n/loaded-languages.ts");
const QUERY = /\?language=(\w+)$/;

const catalogues = async (file: string): Promise<[name: string, texts: Texts][]> =>
  Object.entries((await import(file)) as Record<string, Texts>);

const inLanguage = (texts: Texts, language: string) =>
  Object.fromEntries(Object.entries(texts).map(([key, { [language]: text }]) => [key, text]));

export const oneLanguage: BunPlugin = {
  name: "one language",
  setup(build) {
    build.onResolve({ filter: QUERY }, ({ path }) => ({ path, namespace: "language" }));
    build.onLoad({ filter: QUERY, namespace: "language" }, async ({ path }) => {
      const [, language = ""] = QUERY.exec(path) ?? [];
      const all = await catalogues(path.replace(QUERY, ""));
      const contents = all.map(
        ([name, texts]) => `export const ${name} = ${JSON.stringify(inLanguage(texts, language))};`,
      );
      return { contents: contents.join("\n"), loader: "js" };
    });
    build.onLoad({ filter: /\/web\/.*(\/|-)texts\.ts$|\/web\/i18n\/common\.ts$/ }, async ({ path }) => {
      const names = (await catalogues(path)).map(([name]) => name);
      const loads = LANGUAGES.map(
        (one) => `${one}: () => import(${JSON.stringify(`${path}?language=${one}`)})`,
      );
      const contents = `
        import { addCatalogue } from ${JSON.stringify(LOADED)};
        const loads = { ${loads.join(", ")} };
        const add = (catalogue, texts, language) => {
          for (const key in texts) (catalogue[key] ??= {})[language] = texts[key];
        };
        ${names.map((name) => `export const ${name} = {};`).join("\n")}
        await addCatalogue(async (language) => {
          const loaded = await loads[language]();
          ${names.map((name) => `add(${name}, loaded.${name}, language);`).join("\n")}
        });`;
      return { contents, loader: "js" };
    });
  },
};
