// One operation: what it is to a caller and to the OpenAPI document, from the same schemas that check it. The tables of
// operations (routes.ts of each resource) are what the application serves and what the document tells.
import type { TObject, TSchema } from "@sinclair/typebox";
import type { Power } from "#core/api-keys.ts";
import type { ServiceError } from "#core/errors.ts";
import type { Services } from "../services.ts";
import type { Call, PublicCall } from "./call.ts";
import type { LimitedEndpoint } from "./rate-limits.ts";

export type Run<C> = (services: Services, call: C) => Promise<object>;

/** The connection on which a stream is sent. */
export type StreamClient = {
  /** To count by. */
  address: string;
  /** Closes it when nothing could be sent for so long. */
  closeAfterIdle(seconds: number): void;
};

export type Stream = (services: Services, call: PublicCall, client: StreamClient) => Promise<Response>;

type Described = {
  /** Its name in the document, and in clients made from it. */
  id: string;
  tag: string;
  summary: string;
  /** What a caller must know besides. */
  description?: string;
  /** Names of query parameters; what each may be is checked where it is read. */
  query?: TObject;
  body?: TSchema;
  /** Whether an empty body is taken as well. */
  bodyOptional?: boolean;
  /** A body that works. */
  example?: object;
  answer: TSchema;
  /** Refusals of its own, one of each kind: what every operation refuses is known. */
  refusals?: ServiceError[];
  /** The limit of its own that it has beside the key's. */
  limit?: LimitedEndpoint;
  /** What the key must be allowed. */
  needs?: Power;
  /** Whether it is for users of the dashboard alone, and not for keys. */
  userOnly?: true;
  /** Answers whoever asks for text/csv with everything that the query leaves. */
  csv?: (services: Services, call: Call) => Promise<Response>;
};

type Route = Described & {
  method: "GET" | "POST" | "DELETE";
  /** The pattern below the base, such as `/payment-intents/:intentId`. */
  path: string;
};

export type Operation =
  | (Route & { access: "key"; needs: Power; run: Run<Call> })
  | (Route & {
      access: "public";
      run: Run<PublicCall>;
      /** Answers whoever asks for text/event-stream with a stream of such answers. */
      stream?: Stream;
    });

export type Describe<C> = (path: string, run: Run<C>, described: Described) => Operation;

const withKey =
  (method: Operation["method"], needs: Power): Describe<Call> =>
  (path, run, described) => ({ needs, ...described, method, path, access: "key", run });

const open =
  (method: Operation["method"]): Describe<PublicCall> =>
  (path, run, described) => ({ ...described, method, path, access: "public", run });

export const get = withKey("GET", "read");
export const post = withKey("POST", "write");
export const remove = withKey("DELETE", "write");
export const publicGet = open("GET");
export const publicPost = open("POST");

export const publicGetOrStream = (
  path: string,
  run: Run<PublicCall>,
  stream: Stream,
  described: Described,
): Operation => ({ ...described, method: "GET", path, access: "public", run, stream });
