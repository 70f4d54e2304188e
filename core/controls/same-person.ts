/** Whether two names are one person's: they are compared as people read them. */
export const isSamePerson = (a: string, b: string): boolean =>
  a.trim().toLowerCase() === b.trim().toLowerCase();
