// A proxy node that kills its caller twice per transaction: first before it forwards the transaction, then after the
// chain has received it but before the caller knows. The third time, it behaves normally.
import { type Hex, parseTransaction, recoverTransactionAddress } from "viem";
import { PRESIGNED_TRANSACTION } from "#scripts/cli/deploy/deterministic-deployer.ts";

type Signed = Parameters<typeof recoverTransactionAddress>[0]["serializedTransaction"];
type Request = { id: number; method: string; params: [Hex] };

/**
 * @param strike kills the caller
 * @param isFatal selects transactions by name; by default, all of them
 */
export function startFatalNode(
  upstream: string,
  strike: () => void,
  isFatal: (name: string) => boolean = () => true,
) {
  const seen = new Map<string, number>();
  const passedOn = new Set<string>();

  /** Names a transaction. The presigned one is sent before its sender has funds, and again afterwards. */
  const nameOf = async (transaction: Hex): Promise<string> => {
    if (transaction === PRESIGNED_TRANSACTION) return `presigned, after ${passedOn.size}`;
    const sender = await recoverTransactionAddress({ serializedTransaction: transaction as Signed });
    return `nonce ${parseTransaction(transaction).nonce} of ${sender}`;
  };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const { id, method, params } = JSON.parse(body) as Request;
      let time = 0;
      if (method === "eth_sendRawTransaction") {
        const name = await nameOf(params[0]);
        time = isFatal(name) ? (seen.get(name) ?? 0) + 1 : 0;
        seen.set(name, time);
        if (time === 1) {
          strike();
          return Response.json({ jsonrpc: "2.0", id, error: { code: -32000, message: "The node is gone" } });
        }
        if (name.startsWith("nonce")) passedOn.add(name);
      }
      const headers = { "Content-Type": "application/json" };
      const answer = await (await fetch(upstream, { method: "POST", body, headers })).text();
      if (time === 2) strike();
      return new Response(answer, { headers });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Returns the names of the received transactions. */
    transactions: () => [...seen.keys()],
    stop: () => server.stop(true),
  };
}
