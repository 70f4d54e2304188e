// A list yields every item exactly once, even if some requests fail.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { Gateway } from "../index.ts";

const ITEMS = Array.from({ length: 10_000 }, (_, n) => ({ id: `evt_${n}` }));

/** Serves the items newest first. Every third request fails, alternately with 429 and 503. */
function serve() {
  const counts = { asked: 0, refused: 0 };
  const gateway = new Gateway({
    apiKey: "sk_test_key",
    baseUrl: "https://pay.example.com/v1",
    fetch: async (url) => {
      counts.asked += 1;
      if (counts.asked % 3 === 0) {
        counts.refused += 1;
        const status = counts.refused % 2 ? 429 : 503;
        return new Response(null, { status, headers: { "Retry-After": "0" } });
      }
      const query = new URL(url).searchParams;
      const limit = Number(query.get("limit") ?? 10);
      const [after, before] = [query.get("starting_after"), query.get("ending_before")];
      const at = (id: string) => ITEMS.findIndex((item) => item.id === id);
      const start = after ? at(after) + 1 : before ? Math.max(0, at(before) - limit) : 0;
      const end = before ? at(before) : start + limit;
      const has_more = before ? start > 0 : end < ITEMS.length;
      return Response.json({ object: "list", data: ITEMS.slice(start, end), has_more, url: "/v1/events" });
    },
  });
  return { gateway, counts };
}

describe("a list", () => {
  it("yields 10,000 items without loss or duplicates despite 429s and 503s", async () => {
    const { gateway, counts } = serve();
    const ids: string[] = [];
    for await (const { id } of gateway.events.list()) ids.push(id);
    expect(ids).to.deep.equal(ITEMS.map(({ id }) => id));
    expect(counts).to.deep.equal({ asked: 149, refused: 49 });
  });

  it("iterates from ending_before towards newer items, oldest first", async () => {
    const { gateway } = serve();
    const ids: string[] = [];
    for await (const { id } of gateway.events.list({ ending_before: "evt_250", limit: 7 })) ids.push(id);
    expect(ids).to.deep.equal(
      ITEMS.slice(0, 250)
        .map(({ id }) => id)
        .reverse(),
    );
  });

  it("resolves to one page when awaited, and requests only the pages that are read", async () => {
    const { gateway, counts } = serve();
    const page = await gateway.events.list({ limit: 3 });
    expect(page.data.map(({ id }) => id)).to.deep.equal(["evt_0", "evt_1", "evt_2"]);
    expect(page.has_more).to.equal(true);
    for await (const { id } of gateway.events.list({ limit: 2 })) if (id === "evt_1") break;
    expect(counts.asked).to.equal(2);
  });

  it("throws the signal's reason", async () => {
    const { gateway } = serve();
    const controller = new AbortController();
    const reason = new Error("Enough.");
    let read = 0;
    const all = async () => {
      for await (const _ of gateway.events.list({}, { signal: controller.signal })) {
        read += 1;
        if (read === 150) controller.abort(reason);
      }
    };
    expect(await all().catch((error: unknown) => error)).to.equal(reason);
    expect(read).to.equal(200);
  });
});
