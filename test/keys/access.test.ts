// Every operation documents the permission that it requires of a restricted key.
import { describe, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { AccessRequirement } from "#api/access/authenticate.ts";
import { routes } from "#api/routes.ts";
import type { Services } from "#api/services.ts";
import { root } from "#scripts/shared/paths.ts";

const page = readFileSync(join(root, "docs", "api-keys.md"), "utf8");
const documented = [...page.matchAll(/^\| `(\w+)` +\| `(\w+)` +\|/gm)].map(([, id, permission]) => [
  id,
  permission,
]);

/** The operations that a key can call, with their required permission. */
const served = routes("/v1", {} as Services).routes.flatMap(({ method, hooks: { detail } }) => {
  const { operationId: id, "x-access": access } = detail as typeof detail & {
    "x-access": AccessRequirement | "public";
  };
  return access === "public" || access.userOnly ? [] : [{ method, id, needs: access.permission }];
});

describe("docs/api-keys.md", () => {
  it("lists every operation that changes data, with its required permission", () => {
    const changing = served.filter(({ method }) => method !== "GET");
    expect(documented).to.have.deep.members(changing.map(({ id, needs }) => [id, needs]));
  });

  it("states correctly that every GET requires only read", () => {
    for (const { id, method, needs } of served) if (method === "GET") expect(needs, id).to.equal("read");
  });
});
