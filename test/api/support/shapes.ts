// Checks the spec's formats field by field.
import { expect } from "chai";
import { FUNDING_METHODS } from "#core/chain/funding-methods.ts";
import { MERCHANT_STATUSES } from "#core/model/merchant-status.ts";
import { CURRENCIES } from "#core/money.ts";
import type { Answer, ErrorBody, Intent } from "./client.ts";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const BYTES32 = /^0x[0-9a-f]{64}$/;
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SECONDS = /^\d{10}$/;

type Check = (value: unknown) => void;
export const text: Check = (value) => expect(value).to.be.a("string").that.is.not.empty;
export const matching =
  (pattern: RegExp): Check =>
  (value) =>
    expect(value).to.be.a("string").and.match(pattern);
export const address = matching(ADDRESS);
export const bytes32 = matching(BYTES32);
export const iso = matching(ISO);
export const secondsText = matching(SECONDS);
export const decimal = matching(/^\d+\.\d{2,18}$/);
export const bool: Check = (value) => expect(value).to.be.a("boolean");
export const integer: Check = (value) => expect(Number.isSafeInteger(value)).to.equal(true);
/** A time in Unix seconds, not milliseconds. */
export const unix: Check = (value) => expect(value).to.be.a("number").within(1_700_000_000, 9_999_999_999);
export const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    expect(values).to.include(value);
export const orNull =
  (check: Check): Check =>
  (value) => {
    if (value !== null) check(value);
  };

/** Expects exactly these fields (`?` marks optional fields), each with its type. */
export function expectShape(value: object, shape: Record<string, Check>): void {
  const required = Object.keys(shape).filter((key) => !key.endsWith("?"));
  const allowed = Object.keys(shape).map((key) => key.replace("?", ""));
  expect(Object.keys(value)).to.include.members(required);
  expect(allowed).to.include.members(Object.keys(value));
  for (const [key, field] of Object.entries(value)) {
    try {
      (shape[key] ?? shape[`${key}?`])?.(field);
    } catch (error) {
      throw new Error(`${key}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

const settlementStatus = orNull(oneOf("PENDING", "IN_PROGRESS", "COMPLETED", "FAILED"));
const status = oneOf(
  "INITIATED",
  "REQUIRES_SIGNATURE",
  "PROCESSING",
  "SUCCEEDED",
  "SETTLED",
  "FINAL",
  "CANCELED",
  "REQUIRES_ACTION",
);

const phases: Check = (value) => {
  expect(value).to.be.an("array").that.is.not.empty;
  for (const phase of value as object[]) {
    expectShape(phase, {
      phase: oneOf(
        "SIGNATURE_VERIFICATION",
        "BLOCKCHAIN_CONFIRMATION",
        "ESCROW_LOCKED",
        "AWAITING_DELIVERY_PROOF",
        "SETTLEMENT",
      ),
      status: oneOf("IN_PROGRESS", "COMPLETED", "FAILED"),
      "startedAt?": unix,
      "completedAt?": unix,
    });
  }
};

const INTENT_DATA: Record<string, Check> = {
  id: matching(/^intent_[0-9a-zA-Z]+$/),
  object: oneOf("payment_intent"),
  merchantId: text,
  status,
  amount: decimal,
  currency: oneOf(...CURRENCIES),
  type: oneOf("DELIVERY_VS_PAYMENT", "CONDITIONAL"),
  "description?": text,
  settlementMethod: oneOf("OFF_RAMP_MOCK", "OFF_RAMP_TO_RTP", "OFF_RAMP_TO_BANK"),
  settlementDestination: text,
  merchantStatus: oneOf(...MERCHANT_STATUSES),
  settlementStatus,
  disputed: bool,
  contractAddress: address,
  transactionHash: orNull(bytes32),
  chainId: integer,
  typedData: (value) => expect(value).to.include.keys("types", "domain", "message"),
  signature: orNull(matching(/^0x[0-9a-f]+$/)),
  fundingMethod: orNull(oneOf(...FUNDING_METHODS)),
  payerAddress: orNull(address),
  signerAddress: orNull(address),
  phases,
  metadata: (value) => expect(value).to.include.keys("tokenAddress", "contractMerchantId"),
  paymentUrl: text,
  returnUrl: orNull(text),
  cancelUrl: orNull(text),
  expiresAt: unix,
  estimatedFee: matching(/^\d+\.\d+$/),
  estimatedDeliveryTime: matching(/^\d+[smhd]$/),
  created: unix,
  updated: unix,
};

/** Expects the spec's envelope, including its flattened form, and its `data`. */
export function expectIntent(intent: Intent, { created = false } = {}): void {
  expectShape(intent, {
    id: oneOf(intent.data.id),
    object: oneOf("payment_intent"),
    status: oneOf(intent.data.status),
    transactionHash: oneOf(intent.data.transactionHash),
    settlementStatus: oneOf(intent.data.settlementStatus),
    phases: (value) => expect(value).to.deep.equal(intent.data.phases),
    data: (value) => expectShape(value as object, INTENT_DATA),
    created: oneOf(intent.data.created),
    updated: oneOf(intent.data.updated),
    ...(created ? { metadata: (value: unknown) => expect(value).to.be.an("object") } : {}),
  });
  expect(intent.data.updated).to.be.at.least(intent.data.created);
}

const TYPES: Record<string, string> = {
  authentication_required: "authentication_error",
  forbidden: "authentication_error",
  service_unavailable: "api_error",
};

/** Expects an error as in the spec's table: status, code, matching type, and `param` if known. */
export function expectError(answer: Answer<unknown>, status: number, code: string, param?: string): void {
  const body = answer.body as ErrorBody;
  expect(body, `${answer.status} ${JSON.stringify(body)}`).to.have.keys("error");
  const { message, retryAfter: _, errors: __, requestId, ...rest } = body.error;
  expect({ status: answer.status, ...rest }).to.deep.equal({
    status,
    code,
    type: TYPES[code] ?? "invalid_request_error",
    ...(param === undefined ? {} : { param }),
  });
  expect(message).to.be.a("string").with.length.above(10);
  expect(requestId).to.equal(answer.headers.get("x-request-id") ?? requestId);
  expect(answer.headers.get("content-type")).to.match(/^application\/json/);
}
