// An API client that knows only the public interface and shares no code with the service.
import type { Address, Hex, TypedDataDefinition } from "viem";
import { Gateway } from "#sdk/index.ts";
import { fetchDocumented } from "../../support/documented.ts";

export type Phase = { phase: string; status: string; startedAt?: number; completedAt?: number };

export type TypedData = TypedDataDefinition & {
  types: Record<string, { name: string; type: string }[]>;
  domain: { name: string; version: string; chainId: number; verifyingContract: Address };
  message: Record<string, string | number>;
};

export type IntentData = {
  id: string;
  object: string;
  merchantId: string;
  status: string;
  amount: string;
  currency: string;
  type: string;
  description?: string;
  settlementMethod: string;
  settlementDestination: string;
  merchantStatus: string;
  settlementStatus: string | null;
  disputed: boolean;
  contractAddress: Address;
  transactionHash: Hex | null;
  chainId: number;
  typedData: TypedData;
  signature: Hex | null;
  fundingMethod: string | null;
  payerAddress: Address | null;
  signerAddress: Address | null;
  phases: Phase[];
  metadata: Record<string, unknown>;
  paymentUrl: string;
  expiresAt: number;
  returnUrl: string | null;
  cancelUrl: string | null;
  estimatedFee: string;
  estimatedDeliveryTime: string;
  created: number;
  updated: number;
};

export type Intent = {
  id: string;
  object: string;
  status: string;
  transactionHash: Hex | null;
  settlementStatus: string | null;
  phases: Phase[];
  data: IntentData;
  created: number;
  updated: number;
  metadata?: Record<string, unknown>;
};

export type Escrow = { id: string; object: string; data: Record<string, string | number | boolean | null> };
export type Proof = {
  id: string;
  object: string;
  data: Record<string, string | null> & { submitTxHash: Hex };
};

export type ErrorBody = {
  error: {
    code: string;
    message: string;
    type: string;
    param?: string;
    retryAfter?: number;
    errors?: { code: string; message: string; param?: string }[];
    requestId: string;
  };
};

export type Answer<T> = { status: number; headers: Headers; body: T };

export type Sent = {
  /** Objects are sent as JSON, everything else unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
};

export class Client {
  /** For well-formed requests only: requests that are not documented do not compile. */
  readonly api: Gateway;

  constructor(
    readonly baseUrl: string,
    readonly apiKey?: string,
  ) {
    this.api = new Gateway({
      baseUrl,
      // Retries would hide a rate limit from the test.
      maxRetries: 0,
      fetch: (url, init) => {
        const request = new Request(url, init);
        for (const [name, value] of Object.entries(this.credentials())) request.headers.set(name, value);
        return fetchDocumented(request);
      },
    });
  }

  /** Returns the headers that identify the caller. */
  credentials(): Record<string, string> {
    return this.apiKey === undefined ? {} : { "X-API-Key": this.apiKey };
  }

  get<T = ErrorBody>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>("GET", path, { headers });
  }

  post<T = ErrorBody>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return this.send<T>("POST", path, { body, headers });
  }

  /** Sends objects as JSON. Text, bytes and streams are sent unchanged. */
  async send<T = ErrorBody>(
    method: string,
    path: string,
    { body, headers = {} }: Sent = {},
  ): Promise<Answer<T>> {
    const raw =
      typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream
        ? body
        : body === undefined
          ? undefined
          : JSON.stringify(body);
    const request = new Request(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...this.credentials(),
        ...(raw === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(raw === undefined ? {} : { body: raw as BodyInit }),
    });
    const response = await fetchDocumented(request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) as T };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The body is not JSON, so the assertion on it will fail with the text.
    return text;
  }
}
