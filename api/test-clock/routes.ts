// The test clock operations.
import { Elysia } from "elysia";
import { unknownRoute } from "#core/errors.ts";
import { answers } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { advanceTestClock, latestTime } from "./advance-test-clock.ts";
import { retrieveTestClock } from "./retrieve-test-clock.ts";
import { AdvanceTestClockBody, TestClock } from "./schemas.ts";

const OFF = unknownRoute("POST", "/v1/test/clock/advance");

export const testClockRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get("/test/clock", async ({ services, call }) => retrieveTestClock(services, call), {
      access: { permission: "read" },
      response: answers(TestClock, [OFF]),
      detail: {
        operationId: "retrieveTestClock",
        tags: ["Test clock"],
        summary: "Retrieve the test clock",
        description:
          "Available on a local chain with `TEST_CLOCK=on`, which `npm start` sets. Returns 404 on every other network.",
      },
    })
    .post("/test/clock/advance", async ({ services, call, body }) => advanceTestClock(services, call, body), {
      access: { permission: "release" },
      idempotent: true,
      audit: "test_clock.advance",
      body: AdvanceTestClockBody,
      response: answers(TestClock, [OFF, latestTime()]),
      detail: {
        operationId: "advanceTestClock",
        tags: ["Test clock"],
        summary: "Advance the test clock",
        description:
          "Advances the local chain's time for every payment of this gateway: time locks end, dispute windows and " +
          "deadlines pass. Time cannot go backwards. The response is normally sent once the indexer has seen the new " +
          "time; the effects follow within seconds. Rate limits, sessions, API keys and the delays of the simulated " +
          "banks are not affected.",
      },
    });
