// The schema can be distributed by merchant (docs/decisions/0016-distribution-by-merchant.md). The rules are checked
// against the PostgreSQL catalog, so new tables need no registration.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { Client } from "pg";
import { testDatabase } from "#test/support/stack.ts";

/** Tables that are not distributed, each with the reason. */
const SHARED: Record<string, string> = {
  merchant: "names the merchants: the distribution key refers to it",
  deployment: "one contract serves every merchant",
  signer: "one relayer key signs for every merchant",
  transaction: "one settlement transaction contains orders of several merchants",
  transaction_attempt: "belongs to a transaction",
  transaction_order: "belongs to a transaction",
  leader_lease: "elects one process for every merchant",
  reconciliation: "covers every merchant",
  control: "holds for every merchant",
  operation: "operations act for every merchant",
  reconciliation_difference: "covers every merchant",
  reconciliation_run: "covers every merchant",
  reconciliation_finding: "belongs to a run, and goes with it",
  reconciliation_balance: "belongs to a run, and goes with it",
  reconciliation_transfer: "belongs to a run, and goes with it",
  reconciliation_seal: "covers every merchant",
  off_ramp_account: "belongs to the gateway's account with a provider",
  off_ramp_balance: "belongs to the gateway's wallets at providers",
  off_ramp_wallet: "belongs to the gateway's account with a provider",
  provider_transfer: "belongs to the gateway's account with a provider",
  transfer_lookup: "belongs to the gateway's account with a provider",
  transfer_list_scan: "belongs to the gateway's account with a provider",
  rate_limit: "counts callers, some of whom have no key",
  idempotency_key: "callers of public routes have no merchant; `scope` names the others",
  api_key: "authentication finds the merchant by the key",
  dashboard_user: "signing in finds the merchant by the e-mail address",
  dashboard_session: "belongs to a user",
  dashboard_account: "belongs to a user",
  dashboard_verification: "belongs to a user",
  dashboard_two_factor: "belongs to a user",
  dashboard_rate_limit: "counts IP addresses",
  audit_log: "one chain of hashes covers the database, entries without a merchant included",
  audit_seal: "one chain of hashes covers the database, entries without a merchant included",
  audit_archive: "names segments of the chain of hashes",
};

/** Counters of distributed tables, each with the reason. */
const COUNTERS: Record<string, string> = {
  "event.position": "one chain of hashes covers the database, events included",
};

/** Shared tables that a merchant's rows may reference. They are small and replicated to every node. */
const REPLICATED = ["merchant"];

let database: Client;

beforeAll(async () => {
  database = new Client({ connectionString: await testDatabase() });
  await database.connect();
});
afterAll(() => database?.end());

const select = async <Row extends object>(text: string): Promise<Row[]> =>
  (await database.query<Row>(text)).rows;

const tableNames = async () =>
  (
    await select<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'gateway'::regnamespace and relkind in ('r', 'p')",
    )
  ).map(({ name }) => name);

type Column = { table: string; name: string; required: boolean; counts: boolean };
type Unique = { table: string; name: string; primary: boolean; columns: string[] };
type Reference = { table: string; name: string; columns: string[]; target: string; targetColumns: string[] };

const columns = () =>
  select<Column>(`
    select c.relname as table, a.attname as name, a.attnotnull as required,
      a.attidentity <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid) like '%nextval(%', false) as counts
    from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'gateway'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`);

const uniques = () =>
  select<Unique>(`
    select t.relname as table, i.relname as name, x.indisprimary as primary,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = t.oid and a.attnum = any (x.indkey[0:x.indnkeyatts - 1])) as columns
    from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where t.relnamespace = 'gateway'::regnamespace and x.indisunique`);

const references = () =>
  select<Reference>(`
    select t.relname as table, k.conname as name, f.relname as target,
      array(select a.attname::text from unnest(k.conkey) with ordinality o (num, at)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = o.num order by o.at) as columns,
      array(select a.attname::text from unnest(k.confkey) with ordinality o (num, at)
        join pg_attribute a on a.attrelid = f.oid and a.attnum = o.num order by o.at) as "targetColumns"
    from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class f on f.oid = k.confrelid
    where t.relnamespace = 'gateway'::regnamespace and k.contype = 'f'`);

/** Returns the violations of the rules in the catalog. */
async function findViolations(): Promise<string[]> {
  const found: string[] = [];
  const report = (table: string, says: string) => found.push(`${table}: ${says}`);
  const [allColumns, allUniques] = [await columns(), await uniques()];
  for (const table of await tableNames()) {
    if (table in SHARED) continue;
    const own = allColumns.filter((column) => column.table === table);
    if (!own.some(({ name, required }) => name === "merchant_id" && required))
      report(table, "no merchant_id, or it may be null");
    for (const { name, counts } of own)
      if (counts && !(`${table}.${name}` in COUNTERS)) report(table, `${name} is a global counter`);
    const keys = allUniques.filter((unique) => unique.table === table);
    if (!keys.some(({ primary }) => primary)) report(table, "no primary key");
    for (const key of keys)
      if (!key.columns.includes("merchant_id")) report(table, `${key.name} is unique without the merchant`);
  }
  for (const { table, name, columns: from, target, targetColumns } of await references()) {
    if (table in SHARED) {
      if (!(target in SHARED)) report(table, `${name} refers to rows of a merchant`);
    } else if (target in SHARED) {
      if (!REPLICATED.includes(target)) report(table, `${name} refers to a shared table`);
    } else if (targetColumns[from.indexOf("merchant_id")] !== "merchant_id") {
      report(table, `${name} may refer to another merchant's row`);
    }
  }
  return found;
}

describe("the tables of the schema gateway", () => {
  it("contain the merchant in every key and reference, and have no global counter", async () => {
    expect(await findViolations()).to.deep.equal([]);
  });

  it("are shared between merchants only for a stated reason", async () => {
    const names = await tableNames();
    expect(Object.keys(SHARED).filter((name) => !names.includes(name))).to.deep.equal([]);
    expect(names.filter((name) => !(name in SHARED))).to.include.members(["intent", "payout", "event"]);
  });

  it("are checked without being registered", async () => {
    await database.query("begin");
    try {
      await database.query(`
        create table gateway.coupon (
          id bigint generated always as identity primary key, code text unique, merchant_id bytea,
          intent_id bytea,
          constraint of_intent foreign key (merchant_id, intent_id) references gateway.intent (id, merchant_id),
          signer bytea, deployment_id integer,
          constraint of_signer foreign key (deployment_id, signer) references gateway.signer (deployment_id, address));
        create table gateway.keyless (merchant_id bytea not null, number bigserial);
        alter table gateway.reconciliation add intent_id bytea, add merchant_id bytea,
          add constraint of_payment foreign key (intent_id, merchant_id) references gateway.intent (id, merchant_id)`);
      expect(await findViolations()).to.have.members([
        "coupon: no merchant_id, or it may be null",
        "coupon: id is a global counter",
        "coupon: coupon_pkey is unique without the merchant",
        "coupon: coupon_code_key is unique without the merchant",
        "coupon: of_intent may refer to another merchant's row",
        "coupon: of_signer refers to a shared table",
        "keyless: number is a global counter",
        "keyless: no primary key",
        "reconciliation: of_payment refers to rows of a merchant",
      ]);
    } finally {
      await database.query("rollback");
    }
  });
});
