import { ACTOR_TYPES } from "../model/actors.ts";

/**
 * Normalizes a name to what a reader sees, so that invisible characters and encodings do not make a different person.
 */
const asRead = (name: string): string =>
  name
    .replace(/[\s\u2800]+/gu, " ")
    .replace(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "")
    .normalize("NFKC")
    .replace(/\p{Pd}/gu, "-")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** Whether two names look like the name of the same person. */
export const isSamePerson = (a: string, b: string): boolean => asRead(a) === asRead(b);

/** Whether the second name is not empty, and not the name of the first person. */
export const isAnotherPerson = (second: string, first: string): boolean =>
  !isNobody(second) && !isSamePerson(second, first);

/**
 * Whether a name looks empty to a reader, or is a type of actors: the audit log would not find the person's entries
 * among those of the type.
 */
export const isNobody = (name: string): boolean => ["", ...ACTOR_TYPES].includes(asRead(name));
