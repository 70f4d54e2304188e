import { it } from "bun:test";

/** Whether `npm run test:deep` is running, which tests every variant. Files named `*.deep.test.ts` run only there. */
export const DEEP = process.env.DEEP === "1";

/** A test that runs only in `npm run test:deep`. */
export const inDeep = it.skipIf(!DEEP);
