// The baseline for the API: Bun's bare HTTP server with one prepared statement per request, on the same database and
// with as many connections as the API.
import { Pool } from "pg";

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.DATABASE_POOL) });
const { BARE_TEMPLATE: template = "" } = process.env;

const toBytes = (id: string) => Buffer.from(id.slice("intent_".length), "hex");

const select = (id: string) =>
  pool.query({
    name: "bare_select",
    text: "select * from gateway.intent where id = $1",
    values: [toBytes(id)],
  });

/** Copies a row under a new id: an insert of the same size into the same indexes. */
const insert = (orderId: string) =>
  pool.query({
    name: "bare_insert",
    text: `insert into gateway.intent
      select i.* from gateway.intent t,
        jsonb_populate_record(t, jsonb_build_object('id', '\\x' || $1::text,
          'created_at', clock_timestamp(), 'updated_at', clock_timestamp())) i
      where t.id = $2 returning *`,
    values: [orderId, toBytes(template)],
  });

const randomHex = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  routes: {
    "/ready": new Response("ready"),
    "/intents": {
      POST: async (request) => {
        await request.json();
        const { rows } = await insert(randomHex());
        return Response.json(rows[0]);
      },
    },
    "/intents/:id": async ({ params }) => {
      const { rows } = await select(params.id);
      return Response.json(rows[0]);
    },
  },
});
