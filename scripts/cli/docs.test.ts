// Checks that the documentation site links every document of the repository.
import { expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { sidebar } from "../../docs/.vitepress/sidebar.ts";
import { root } from "../shared/paths.ts";

it("the sidebar lists every document once, under its heading", () => {
  const items = sidebar(root).flatMap(({ items }) => items ?? []);
  const listed = items.map(({ link = "" }) =>
    [`${link}.md`, `${link}README.md`, `${link}/README.md`].find((file) => existsSync(join(root, file))),
  );
  const documents = ["*.md", "{docs,contracts,settlement,web,sdk,examples}/**/*.md"]
    .flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
    .filter((file) => !/node_modules|CHANGELOG/.test(file))
    .map((file) => `/${file}`);
  expect(listed.sort()).toEqual(documents.sort());
  for (const { text } of items) expect(text).not.toEndWith(".md");
});
