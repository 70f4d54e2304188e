/** Whether two names are the same person's: compared as people read them. */
export const isSamePerson = (a: string, b: string): boolean =>
  a.trim().toLowerCase() === b.trim().toLowerCase();
