// Checks that relative links of Markdown files point to an existing file and heading.
import { expect, it } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { root } from "../shared/paths.ts";

const FILES = ["*.md", "{api,contracts,core,docs,indexer,settlement,test,web,scripts}/**/*.md"].flatMap(
  (pattern) => [...new Glob(pattern).scanSync({ cwd: root, onlyFiles: true })],
);
const read = (file: string) => readFileSync(join(root, file), "utf8");
const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "code");

/** Returns a heading's anchor in GitHub's format. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
const anchors = (file: string) =>
  [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchor(heading));

it("every relative link of the documentation points to an existing file and heading", () => {
  expect(FILES.length).toBeGreaterThan(20);
  const broken = FILES.flatMap((file) =>
    [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      // External links, and pages of a running gateway, are not checked.
      if (/^[a-z]+:/.test(link) || link === "/docs/reference") return [];
      const [path = "", hash] = link.split("#");
      const target = path === "" ? file : join(dirname(file), path);
      if (!existsSync(join(root, target))) return [`${file}: ${link}`];
      const isText = target.endsWith(".md") && statSync(join(root, target)).isFile();
      return hash && isText && !anchors(target).includes(hash) ? [`${file}: ${link}`] : [];
    }),
  );
  expect(broken).toEqual([]);
});
