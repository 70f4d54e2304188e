/** Whether `npm run test:deep` is running, which tests every variant. Files named `*.deep.test.ts` run only there. */
export const DEEP = process.env.DEEP === "1";
