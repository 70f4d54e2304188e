/** A name as people read it: what is not seen, and how letters are encoded, makes nobody another person. */
const asRead = (name: string): string =>
  name
    .replace(/[\s\u2800]+/gu, " ")
    .replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "")
    .normalize("NFKC")
    .replace(/\p{Pd}/gu, "-")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** Whether two names are the same person's: compared as people read them. */
export const isSamePerson = (a: string, b: string): boolean => asRead(a) === asRead(b);

/** Whether a second person approves: somebody, and another than the first. */
export const isAnotherPerson = (second: string, first: string): boolean =>
  !isNobody(second) && !isSamePerson(second, first);

/** Whether a name names nobody. */
export const isNobody = (name: string): boolean => asRead(name) === "";
