// Forwards JSON-RPC requests to a development node, but rejects those that a public node does not serve: the development
// node's own methods, such as impersonation or setting the time, and those that use accounts of the node.
const LOCAL = /^(hardhat|evm|anvil)_|^eth_(accounts|sendTransaction|sign)/;

type Call = { id: number; method: string };

export function plainNode(upstream: string) {
  const rejected: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(incoming) {
      const body = await incoming.text();
      const request = JSON.parse(body) as Call | Call[];
      const local = [request].flat().filter(({ method }) => LOCAL.test(method));
      if (local.length === 0) {
        const response = await fetch(upstream, {
          method: "POST",
          body,
          headers: { "Content-Type": "application/json" },
        });
        return new Response(await response.text(), { headers: { "Content-Type": "application/json" } });
      }
      rejected.push(...local.map(({ method }) => method));
      const reject = ({ id }: Call) => ({
        jsonrpc: "2.0",
        id,
        error: { code: -32601, message: "Method not found" },
      });
      return Response.json(Array.isArray(request) ? request.map(reject) : reject(request));
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, rejected, stop: () => server.stop(true) };
}
