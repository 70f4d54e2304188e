// The audit log can be searched for actions by name, or by part of a name.
import { expect, test } from "bun:test";
import { actionsNamed } from "./actions.ts";

test("a part of a name finds every action that contains it", () => {
  expect(actionsNamed("Refund")).toEqual(["conditional_payment.refund", "conditional_payment.refunded"]);
});

test("a full name finds only that action", () => {
  expect(actionsNamed("milestone.complete")).toEqual(["milestone.complete"]);
});

test("an unlisted name is searched for literally, not as a pattern", () => {
  expect(actionsNamed("operation.approve")).toEqual(["operation.approve"]);
  expect(actionsNamed("%")).toEqual(["%"]);
});
