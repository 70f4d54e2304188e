// HTTP client for the APIs of Bridge and BVNK: JSON, an API key, an Idempotency-Key with every POST. Error messages
// contain the status and the code, never the provider's own text, which may repeat an account number.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Provider } from "#core/config/off-ramp-config.ts";

const OptionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

export const ApiTransfer = Type.Object({
  id: Type.String({ minLength: 1 }),
  client_reference_id: OptionalText,
  state: Type.String(),
  /** A decimal number of whole currency units. */
  amount: Type.String(),
  source: Type.Object({ currency: Type.String(), bridge_wallet_id: OptionalText }),
  destination: Type.Optional(Type.Object({ currency: OptionalText })),
  /** Decimal numbers; the amounts are in whole currency units. */
  receipt: Type.Optional(
    Type.Union([
      Type.Object({
        ...{ developer_fee: OptionalText, exchange_fee: OptionalText, gas_fee: OptionalText },
        ...{ final_amount: OptionalText, exchange_rate: OptionalText },
      }),
      Type.Null(),
    ]),
  ),
  created_at: Type.String(),
  updated_at: Type.String(),
});
export type ApiTransfer = Static<typeof ApiTransfer>;

/** The fields that are validated for every listed transfer. Other fields are validated only for our own transfers. */
const Listed = Type.Object({
  id: Type.String({ minLength: 1 }),
  client_reference_id: OptionalText,
  created_at: Type.String(),
  source: Type.Optional(Type.Unknown()),
});
export type Listed = Static<typeof Listed>;

const Page = Type.Object({ data: Type.Array(Listed) });
const Refusal = Type.Object({
  code: Type.Optional(Type.String({ pattern: "^\\w{1,64}$" })),
  id: Type.Optional(Type.String()),
});

/** The provider's maximum page size. */
const PAGE = 100;

/** The provider responded with an error. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: string | undefined,
    /** The id of the object that the error is about, for example an existing duplicate, if the response has one. */
    readonly about: string | undefined,
  ) {
    super(`The provider responded with ${status}${formatErrorCode({ code })}.`);
  }

  /** Whether the provider has rejected the call permanently. An earlier call may still have made the transfer. */
  get isRefusal(): boolean {
    return this.status === 400 && !this.isRepeat && !this.isShort;
  }

  /**
   * Whether the provider did not execute the call because of insufficient funds, and returns the same response to every
   * retry of the call. Other statuses are ambiguous: 401, 403, 404 and 429 say nothing about an earlier call with the
   * same key, and after 5xx this call may have been executed.
   */
  get isDecline(): boolean {
    return !this.isRepeat && (this.status === 402 || (this.status === 400 && this.isShort));
  }

  private get isShort(): boolean {
    return /insufficient|balance/.test(this.code ?? "");
  }

  /**
   * Whether the provider rejects the Idempotency-Key, usually because it was used with another body or more than a day
   * ago.
   */
  get isRepeat(): boolean {
    return this.status === 422 || /idempoten/.test(this.code ?? "");
  }
}

/** Formats the provider's error code for a message, as ` (code)`; empty if the response has none. */
export const formatErrorCode = ({ code }: Pick<ApiError, "code">): string => (code ? ` (${code})` : "");

export function createApiClient({ url, apiKey, timeoutMs }: Pick<Provider, "url" | "apiKey" | "timeoutMs">) {
  /** Creates a timeout for all requests of one operation. */
  const deadline = (): AbortSignal => AbortSignal.timeout(timeoutMs);

  async function request<T extends TSchema>(
    schema: T,
    path: string,
    signal: AbortSignal,
    init: RequestInit = {},
  ): Promise<Static<T>> {
    const headers = { "Api-Key": apiKey, Accept: "application/json", ...init.headers };
    const response = await fetch(url + path, { ...init, headers, signal, redirect: "error" });
    const body = parse(await response.text());
    if (!response.ok) {
      const { code, id } = Value.Check(Refusal, body) ? body : {};
      throw new ApiError(response.status, code, id);
    }
    if (Value.Check(schema, body)) return body;
    throw new Error("The provider's response does not have the documented format.");
  }

  const get = <T extends TSchema>(schema: T, path: string, signal = deadline()) =>
    request(schema, path, signal);

  const post = <T extends TSchema>(
    schema: T,
    path: string,
    idempotencyKey: string,
    body: object,
    signal = deadline(),
  ) =>
    request(schema, path, signal, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey },
    });

  /**
   * Returns the page that follows a transfer, or the first page, newest first. A page may be short; only an empty page
   * ends the list.
   */
  async function page(after?: string): Promise<Listed[]> {
    const from = after === undefined ? "" : `&starting_after=${encodeURIComponent(after)}`;
    return (await get(Page, `/transfers?limit=${PAGE}${from}`)).data;
  }

  /**
   * Yields the transfers that were created at `since` or later, newest first: those that follow `after` or, if the
   * provider no longer finds it, all of them.
   */
  async function* transfers(since: Date, after?: string): AsyncGenerator<Listed> {
    const start = async () => {
      try {
        return await page(after);
      } catch (error) {
        const isGone = error instanceof ApiError && (error.status === 400 || error.status === 404);
        if (after === undefined || !isGone) throw error;
        return page();
      }
    };
    for (let data = await start(); ; ) {
      for (const transfer of data) {
        if (Date.parse(transfer.created_at) < since.getTime()) return;
        yield transfer;
      }
      const last = data.at(-1)?.id;
      if (last === undefined) return;
      data = await page(last);
    }
  }

  const cancel = (id: string) =>
    request(Type.Unknown(), `/transfers/${encodeURIComponent(id)}`, deadline(), { method: "DELETE" });

  return { deadline, get, post, page, transfers, cancel };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
