// Runs random calls on random orders in the model and on the bytecode in parallel.
import { Random } from "#test/faults/random.ts";
import { type Context, isRefused } from "../calls.ts";
import { apply } from "../operations/apply.ts";
import { due, hasUnreleasedStatus, type Order } from "../order.ts";
import { type Address, ESCROW } from "../terms.ts";
import { OnChain } from "./bytecode.ts";
import type { Chain } from "./chain.ts";
import { differences, type Observed, type Step } from "./compare.ts";
import { type Drawn, drawBehaviour, drawCall, drawMoment, drawTerms, firstMoment } from "./draw.ts";
import { isRefusedByOneGuard } from "./one-guard.ts";
import { addressOf } from "./people.ts";
import { outcomeOf, WELL_BEHAVED } from "./token.ts";

export interface OrderRun {
  steps: Step[];
  /** Each difference includes the order's terms and the calls that led to it. */
  differences: string[];
}

/** Runs orders until this number of calls is reached. */
export async function runOrders(chain: Chain, seed: number, calls: number): Promise<OrderRun> {
  const run: OrderRun = { steps: [], differences: [] };
  for (let index = 0; run.steps.length < calls; index++) {
    const random = new Random(seed + index);
    await runOrder(chain, random, `seed ${seed + index}`, calls - run.steps.length, run);
  }
  return run;
}

async function runOrder(chain: Chain, random: Random, name: string, most: number, run: OrderRun) {
  await chain.reset();
  const terms = drawTerms(random);
  const hostile = random.happens(0.5);
  const token = hostile ? chain.tokens.hostile : chain.tokens.wellBehaved;
  const onChain = new OnChain(chain.chainId, chain.escrow, token, terms, random.word());
  const listed = !random.happens(0.03);
  if (!listed) {
    await chain.at(firstMoment());
    await chain.list(token, false);
  }
  let behaviour = WELL_BEHAVED;
  let order: Order | null = null;
  let now = firstMoment();
  let balances = await chain.balances(token);
  const history: string[] = [];
  const contextFor = ({ caller, call }: Drawn): Context => {
    // Captures the current behavior, because the steps are evaluated again later.
    const token = behaviour;
    return {
      terms,
      caller,
      now,
      fundable: call.name !== "createOrder" || (listed && outcomeOf(token, call.payer, ESCROW) === "moves"),
      transferTo: (receiver: Address) => outcomeOf(token, ESCROW, receiver),
    };
  };

  const length = Math.min(most, random.integer(6, 30));
  for (let calls = 0; calls < length; calls++) {
    now = drawMoment(random, terms, order, now);
    if (hostile && random.happens(order ? 0.25 : 0.1)) {
      behaviour = drawBehaviour(random, order !== null);
      await chain.behave(behaviour, now);
      balances = await chain.balances(token);
    }
    const drawn = drawCall(random, terms, order, now, contextFor);
    const { caller, call } = drawn;
    const context = contextFor(drawn);
    const before: Order | null = order;
    const result = apply(before, call, context);

    const { error } = await chain.send(caller, now, await onChain.calldata(call, before));
    const payer = (before?.payer ?? (call.name === "createOrder" ? call.payer : null)) as Address;
    let observed: Observed;
    if (error !== null) observed = { error };
    else {
      const after = await chain.balances(token);
      observed = {
        error: null,
        order: await chain.order(onChain.getOrder()),
        credit: payer ? await chain.credit(payer, token) : 0n,
        moved: changesBetween(balances, after),
      };
      balances = after;
    }
    const step: Step = {
      order: before,
      call,
      context,
      observed,
      token: behaviour,
      oneGuard: isRefused(result) && isRefusedByOneGuard({ order: before, call, context }),
      addresses: (address) => addressOf(address, chain.escrow),
    };
    run.steps.push(step);
    history.push(`${now} ${caller} ${show(call)}${hostile ? ` token ${show(behaviour)}` : ""}`);
    const found = differences(step, result);
    if (found.length > 0) {
      run.differences.push([name, show(terms), ...history, ...found].join("\n  "));
      return;
    }
    if (!isRefused(result)) order = result.state;
    // The terms may rule out funding.
    if (!order && calls >= 3) return;
    // From here on, the contract rejects every call; a few are enough.
    if (
      order &&
      !hasUnreleasedStatus(order) &&
      due(order) === 0n &&
      order.credit === 0n &&
      random.happens(0.4)
    )
      return;
  }
}

function changesBetween(before: ReadonlyMap<Address, bigint>, after: ReadonlyMap<Address, bigint>) {
  const changes = new Map<Address, bigint>();
  for (const [name, balance] of after) {
    const change = balance - (before.get(name) ?? 0n);
    if (change !== 0n) changes.set(name, change);
  }
  return changes;
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
