// Forwards JSON-RPC requests to a development node, but rejects methods that only such a node has: impersonation,
// minting, setting the time.
const STRANGE = /^(hardhat|evm|anvil)_|^eth_(accounts|sendTransaction|sign)/;

type Call = { id: number; method: string };

export function plainNode(upstream: string) {
  const refused: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const asked = JSON.parse(body) as Call | Call[];
      const strange = [asked].flat().filter(({ method }) => STRANGE.test(method));
      if (strange.length === 0) {
        const answer = await fetch(upstream, {
          method: "POST",
          body,
          headers: { "Content-Type": "application/json" },
        });
        return new Response(await answer.text(), { headers: { "Content-Type": "application/json" } });
      }
      refused.push(...strange.map(({ method }) => method));
      const [{ id }] = strange as [Call];
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, refused, stop: () => server.stop(true) };
}
