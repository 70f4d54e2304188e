// Schemas of the test clock.
import { Type } from "@sinclair/typebox";
import { Livemode, objectField } from "../http/fields.ts";

/** The length of a leap year, in seconds. */
export const LONGEST_LEAP_S = 31_622_400;

export const TestClock = Type.Object(
  {
    object: objectField("test_clock"),
    livemode: Livemode,
    time: Type.Integer({
      description: "The current time of the clock that payments use, in Unix seconds.",
      examples: [1767225600],
    }),
  },
  { title: "TestClock" },
);

export const AdvanceTestClockBody = Type.Object(
  {
    seconds: Type.Integer({
      minimum: 1,
      maximum: LONGEST_LEAP_S,
      description: "By how much to advance the time.",
      errorMessage: `a whole number of seconds from 1 to ${LONGEST_LEAP_S}`,
    }),
  },
  { title: "AdvanceTestClock", additionalProperties: false, examples: [{ seconds: 2_592_000 }] },
);
