// What the site lists beside its pages, grouped by who reads them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DefaultTheme } from "vitepress";

type Items = DefaultTheme.SidebarItem[];
type Page = { text: string; link: string };

const GROUPS: readonly [string, readonly string[]][] = [
  ["Start", ["README.md", "docs/architecture.md", "docs/glossary.md", "docs/comparison.md"]],
  [
    "For integrators",
    [
      "docs/guides",
      "docs/funding-methods.md",
      "docs/release-types.md",
      "docs/webhooks.md",
      "docs/api-keys.md",
      "sdk/README.md",
      "examples/README.md",
    ],
  ],
  [
    "For operators",
    [
      "docs/deployment.md",
      "docs/runbook.md",
      "docs/ledger.md",
      "docs/audit-log.md",
      "docs/retention.md",
      "docs/performance.md",
      "docs/scale.md",
    ],
  ],
  [
    "For developers",
    [
      "CONTRIBUTING.md",
      "docs/extending.md",
      "SECURITY.md",
      "contracts/README.md",
      "settlement/README.md",
      "settlement/off-ramp/README.md",
      "web/README.md",
      "docs/dependencies.md",
      "docs/spec-coverage.md",
      "docs/fault-simulation.md",
    ],
  ],
  ["Decisions", ["docs/decisions"]],
];

/** @param root the repository's folder */
export function sidebar(root: string): Items {
  return GROUPS.map(([text, entries]) => ({
    text,
    collapsed: text === "Decisions",
    items: entries.flatMap((entry) => (entry.endsWith(".md") ? [page(root, entry)] : folder(root, entry))),
  }));
}

/** Every page of a folder, the README first. */
function folder(root: string, path: string): Page[] {
  return readdirSync(join(root, path))
    .filter((name) => name.endsWith(".md"))
    .sort((a, b) => Number(b === "README.md") - Number(a === "README.md") || a.localeCompare(b))
    .map((name) => page(root, `${path}/${name}`));
}

function page(root: string, file: string): Page {
  const [, text = file] = /^# (.*)$/m.exec(readFileSync(join(root, file), "utf8")) ?? [];
  return { text, link: `/${file.replace(/(^|\/)README\.md$/, "$1").replace(/\.md$/, "")}` };
}
