// A search of the audit log finds actions by their name, or by a part of it.
import { expect, test } from "bun:test";
import { actionsNamed } from "./actions.ts";

test("a part of a name finds every action that contains it", () => {
  expect(actionsNamed("Refund")).toEqual(["conditional_payment.refund", "conditional_payment.refunded"]);
});

test("a full name finds that action alone", () => {
  expect(actionsNamed("milestone.complete")).toEqual(["milestone.complete"]);
});

test("a name that is not listed is looked for as it is, and is no pattern", () => {
  expect(actionsNamed("operation.approve")).toEqual(["operation.approve"]);
  expect(actionsNamed("%")).toEqual(["%"]);
});
