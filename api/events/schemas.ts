// Shapes of events (spec, "Events").
import { Type } from "@sinclair/typebox";
import { EVENT_TYPES } from "#core/events/event-data.ts";
import { oneOf } from "../payment-intents/schemas.ts";

export const EventObject = Type.Object({
  id: Type.String({ examples: ["evt_01990a5e3c7e7000a1b2c3d4e5f60718"] }),
  object: Type.Literal("event"),
  type: oneOf(EVENT_TYPES),
  created: Type.Integer({ description: "Unix seconds" }),
  livemode: Type.Boolean(),
  paymentIntentId: Type.Union([Type.String(), Type.Null()]),
  sequence: Type.Union([Type.Integer(), Type.Null()], {
    description: "The place among the events of this payment intent: 1, 2, 3 and so on, without gaps",
  }),
  data: Type.Object({
    object: Type.Intersect([
      Type.Object({ object: Type.String() }),
      Type.Record(Type.String(), Type.Unknown()),
    ]),
    previousAttributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
});

export const EventList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(EventObject),
  has_more: Type.Boolean(),
  url: Type.String(),
});
