// Watches each token's restrictions on the escrow. If an issuer blacklists the escrow, pauses transfers or charges a
// fee, the guardian de-lists the token at once: orders funded in it afterwards could not leave the escrow in full.
import { askChain } from "#core/chain/client.ts";
import type { Context } from "../runtime/context.ts";
import { Problems } from "../runtime/problems.ts";
import { readTokenStates, type TokenState, trapsOrders } from "./token-restrictions.ts";

type Dependencies = Pick<Context, "config" | "log" | "client" | "deployment" | "guardian">;

const WORDS: Record<TokenState["restrictions"][number], string> = {
  paused: "the token is paused",
  escrow_blacklisted: "the escrow is blacklisted",
  fee: "the token charges a fee on transfers",
  off_ramp_blacklisted: "the off-ramp's wallet is blacklisted",
};

const inWords = ({ restrictions }: Pick<TokenState, "restrictions">): string =>
  restrictions.map((restriction) => WORDS[restriction]).join(", ");

/**
 * Returns a handler that checks the tokens once per block. Every replica runs it without waiting for the others: two
 * that act at the same time do no harm.
 */
export function createTokenWatcher({
  config,
  log,
  client,
  deployment,
  guardian,
}: Dependencies): () => Promise<void> {
  const problems = new Problems(log);
  const { contract, tokens } = deployment;
  let checked = -1n;

  function report(state: TokenState): void {
    const { currency, listed, restrictions } = state;
    const subject = `token ${currency}`;
    if (restrictions.length === 0) {
      problems.resolve(subject);
      return;
    }
    const byHand = listed && !guardian && restrictions.some(trapsOrders);
    const todo = byHand ? " GUARDIAN_KEY is not set: de-list the token manually (docs/runbook.md)." : "";
    problems.report(subject, new Error(`${currency} is restricted: ${inWords(state)}.${todo}`));
  }

  async function act(state: TokenState): Promise<void> {
    report(state);
    if (state.listed && state.restrictions.some(trapsOrders)) {
      await guardian?.delist(state.token, inWords(state));
    }
  }

  return async () => {
    const head = await askChain(() => client.getBlockNumber({ cacheTime: 0 }));
    if (head === checked) return;
    const states = await readTokenStates(client, { contract, tokens, offRamp: config.offRamp }, head);
    // A failure to de-list one token must not prevent the others from being de-listed.
    const acts = await Promise.allSettled(states.map(act));
    for (const result of acts) if (result.status === "rejected") throw result.reason;
    checked = head;
  };
}
