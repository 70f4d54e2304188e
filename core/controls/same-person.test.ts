import { expect, test } from "bun:test";
import { isAnotherPerson, isNobody, isSamePerson } from "./same-person.ts";

test("different spellings of a name are the same person", () => {
  const ways = [
    "Ada Lovelace",
    " ada  lovelace ",
    "ADA\u00a0LOVELACE",
    "Ada\u200b Lovelace",
    "\uff21da Lovelace",
    "Ada\u00ad Lovelace",
    "Ada\tLovelace",
    "Ada\nLovelace",
    "Ada Lovelace\u2800",
  ];
  for (const name of ways) expect(isSamePerson(name, "Ada Lovelace"), JSON.stringify(name)).toBe(true);
  expect(isSamePerson("Zoe\u200b\u0308", "Zo\u00eb")).toBe(true);
  expect(isSamePerson("Anne\u2010Marie", "Anne-Marie")).toBe(true);
  expect(isSamePerson("Ada", "Grace")).toBe(false);
});

test("a name without visible characters identifies nobody", () => {
  for (const name of ["", "  ", "\u200b", "\u2060\ufeff", "\u3164", "\u2800\u2800"])
    expect(isNobody(name), JSON.stringify(name)).toBe(true);
  expect(isNobody("Ada")).toBe(false);
});

test("a type of actors identifies nobody, because a search for it finds others' entries", () => {
  for (const name of ["system", " API_KEY", "operations"]) expect(isNobody(name), name).toBe(true);
  expect(isNobody("api key of Ada")).toBe(false);
});

test("a second person must be a different person", () => {
  expect(isAnotherPerson("Grace", "Ada")).toBe(true);
  for (const name of [" ada", "A\u200bda", "", "\u200b"]) expect(isAnotherPerson(name, "Ada")).toBe(false);
});
