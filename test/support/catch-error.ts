/** Returns what a promise is rejected with, or undefined if it is fulfilled. */
export const catchError = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
