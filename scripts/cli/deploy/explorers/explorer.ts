// The part of source verification that all explorers share, including retries.
import type { Address, Hex } from "viem";
import { UserError } from "../../../shared/errors.ts";
import type { StandardInput } from "./standard-input.ts";

/** The contract's data that an explorer needs. */
export interface Submission {
  chainId: number;
  address: Address;
  constructorArguments: Hex;
  input: StandardInput;
  /** Source file and contract name in the compiler's format. */
  contract: string;
  compiler: string;
}

export interface Explorer {
  url: string;
  isVerified(): Promise<boolean>;
  /** @returns a ticket, or undefined if the source is already verified */
  submit(): Promise<string | undefined>;
  /** @returns false while the ticket is in progress. @throws UserError if the source was rejected */
  isFinished(ticket: string): Promise<boolean>;
}

/** A transient error: the explorer is unreachable, overloaded, or has not indexed the contract yet. */
export class TemporaryProblem extends Error {}

const REQUEST_MS = 30_000;

/** @returns status and body of a JSON response. @throws TemporaryProblem for any other response */
export async function request<Body>(
  url: URL,
  init: RequestInit = {},
): Promise<{ status: number; body: Body }> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
  } catch (cause) {
    // The error's own message would repeat the URL, which may contain an API key.
    throw new TemporaryProblem("it does not respond", { cause });
  }
  const { status } = response;
  if (status === 429 || status >= 500) throw new TemporaryProblem(`it responded with status ${status}`);
  try {
    return { status, body: (await response.json()) as Body };
  } catch (cause) {
    throw new TemporaryProblem(`it responded with status ${status} and invalid JSON`, { cause });
  }
}

/** Delays between attempts in milliseconds: two minutes in total, enough for an explorer to index a new contract. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000];
const POLL_MS = 2_000;
const POLLS = 60;

/** @param pace scales every delay, for tests */
export async function verifySource(explorer: Explorer, pace = 1): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await verifyOnce(explorer, pace);
    } catch (error) {
      if (!(error instanceof TemporaryProblem)) throw error;
      const pause = PAUSES_MS[attempt];
      if (pause === undefined) {
        throw new UserError(
          `The contract is deployed, but ${explorer.url} has not verified its source: ${error.message}. Run this again later.`,
        );
      }
      await Bun.sleep(pause * pace);
    }
  }
}

async function verifyOnce(explorer: Explorer, pace: number): Promise<void> {
  // An earlier attempt whose response was lost may have succeeded.
  if (await explorer.isVerified()) return;
  const ticket = await explorer.submit();
  if (ticket === undefined) return;
  for (let poll = 0; poll < POLLS; poll++) {
    if (await explorer.isFinished(ticket)) return;
    await Bun.sleep(POLL_MS * pace);
  }
  throw new TemporaryProblem("the verification is still pending");
}
