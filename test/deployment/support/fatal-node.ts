// A JSON-RPC proxy that kills its caller twice per transaction: first before it forwards the transaction to the node,
// then after the node has received it but before the caller gets the response. After that, it only forwards.
import { type Hex, parseTransaction, recoverTransactionAddress } from "viem";
import { PRESIGNED_TRANSACTION } from "#scripts/cli/deploy/deterministic-deployer.ts";

type Signed = Parameters<typeof recoverTransactionAddress>[0]["serializedTransaction"];
type Request = { id: number; method: string; params: [Hex] };

/**
 * @param killCaller kills the process that sends the requests
 * @param isFatal selects transactions by name; by default, all of them
 */
export function startFatalNode(
  upstream: string,
  killCaller: () => void,
  isFatal: (name: string) => boolean = () => true,
) {
  const attempts = new Map<string, number>();
  const forwarded = new Set<string>();

  /**
   * Names a transaction. The presigned one is sent before its sender has funds and again afterwards, so its name
   * includes the number of transactions that were forwarded before it.
   */
  const nameTransaction = async (transaction: Hex): Promise<string> => {
    if (transaction === PRESIGNED_TRANSACTION) return `presigned, after ${forwarded.size}`;
    const sender = await recoverTransactionAddress({ serializedTransaction: transaction as Signed });
    return `nonce ${parseTransaction(transaction).nonce} of ${sender}`;
  };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const { id, method, params } = JSON.parse(body) as Request;
      let attempt = 0;
      if (method === "eth_sendRawTransaction") {
        const name = await nameTransaction(params[0]);
        attempt = isFatal(name) ? (attempts.get(name) ?? 0) + 1 : 0;
        attempts.set(name, attempt);
        if (attempt === 1) {
          killCaller();
          return Response.json({ jsonrpc: "2.0", id, error: { code: -32000, message: "The node is gone" } });
        }
        if (name.startsWith("nonce")) forwarded.add(name);
      }
      const headers = { "Content-Type": "application/json" };
      const answer = await (await fetch(upstream, { method: "POST", body, headers })).text();
      if (attempt === 2) killCaller();
      return new Response(answer, { headers });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Returns the names of the received transactions. */
    transactions: () => [...attempts.keys()],
    stop: () => server.stop(true),
  };
}
