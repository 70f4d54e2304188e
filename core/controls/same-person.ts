/** Normalizes a name to what a reader sees: invisible characters and encodings do not make a different person. */
const asRead = (name: string): string =>
  name
    .replace(/[\s\u2800]+/gu, " ")
    .replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "")
    .normalize("NFKC")
    .replace(/\p{Pd}/gu, "-")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** Whether two names look like the same person's. */
export const isSamePerson = (a: string, b: string): boolean => asRead(a) === asRead(b);

/** Whether the approver is somebody, and not the requester. */
export const isAnotherPerson = (second: string, first: string): boolean =>
  !isNobody(second) && !isSamePerson(second, first);

/** Whether a name names nobody. */
export const isNobody = (name: string): boolean => asRead(name) === "";
