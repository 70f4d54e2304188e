// `npm run docs`: serves the documentation as a site (docs/.vitepress).
import { join } from "node:path";
import { parseCommand, refuse } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";

const HELP = `Serves the documentation as a site with search, and reloads it when a file changes.

  npm run docs -- [--port PORT]   serves it at http://localhost:PORT (default: 5173, or the next free port)
  npm run docs -- build           writes a static site to .data/docs`;

const { positionals, values } = parseCommand(HELP, { port: { type: "string", default: "5173" } });
const port = Number(values.port);
if (!/^\d+$/.test(values.port) || port < 1 || port > 65_535) {
  refuse(`--port must be a number from 1 to 65535, not '${values.port}'.`);
}
const docs = join(root, "docs");
// The generator is loaded only after the arguments have been validated.
const { build, createServer } = await import("vitepress");
if (positionals[0] === "build") {
  await build(docs);
} else {
  const server = await createServer(docs, { port });
  await server.listen();
  server.printUrls();
}
