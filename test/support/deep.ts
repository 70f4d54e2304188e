/** Whether this is `npm run test:deep`, which has time for every variant. A file `*.deep.test.ts` runs only there. */
export const DEEP = process.env.DEEP === "1";
