#!/usr/bin/env node
// The command `gateway`, for `npm link` and npx: the same as `npm run gateway --`.
process.argv.splice(2, 0, "gateway");
await import("./bootstrap.mjs");
