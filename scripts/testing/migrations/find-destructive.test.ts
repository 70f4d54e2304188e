import { describe, expect, it } from "bun:test";
import { findDestructive } from "./find-destructive.ts";

const DESTRUCTIVE: [string, string][] = [
  ['DROP TABLE "gateway"."payout"', "drops a table"],
  ["drop table if exists gateway.payout cascade", "drops a table"],
  ["DROP SCHEMA gateway", "drops a schema"],
  ['ALTER TABLE "gateway"."payout" DROP COLUMN "fee"', "drops a column"],
  ["alter table payout drop fee", "drops a column"],
  ["ALTER TABLE payout ADD COLUMN a numeric(40, 0), DROP COLUMN IF EXISTS b", "drops a column"],
  ['ALTER TABLE "gateway"."payout" ALTER COLUMN "fee" SET DATA TYPE bigint', "changes a column's type"],
  ["ALTER TABLE payout ALTER fee TYPE bigint USING fee::bigint", "changes a column's type"],
  [
    'ALTER TABLE "gateway"."payout" ALTER COLUMN "fee" SET NOT NULL',
    "makes a column not null without a default",
  ],
  ['ALTER TABLE "gateway"."payout" ADD COLUMN "fee" numeric NOT NULL', "adds a column that is not null"],
  ["TRUNCATE gateway.event", "truncates a table"],
  ["DELETE FROM gateway.event WHERE true", "deletes rows"],
  ["/* all */ delete\n  from gateway.event", "deletes rows"],
  ["WITH old AS (DELETE FROM event RETURNING *) INSERT INTO archive SELECT * FROM old", "deletes rows"],
  ["MERGE INTO event USING old ON true WHEN MATCHED THEN DELETE", "deletes rows"],
  ["DO $$ BEGIN IF true THEN DELETE FROM gateway.event; END IF; END $$", "deletes rows"],
  ["DO $do$ BEGIN EXECUTE 'drop table event'; END $do$", "executes dynamic SQL"],
];

const HARMLESS = [
  'CREATE TABLE "gateway"."coupon" ("id" text PRIMARY KEY NOT NULL)',
  'ALTER TABLE "gateway"."payout" ADD COLUMN "fee" numeric DEFAULT 0 NOT NULL',
  'ALTER TABLE "gateway"."payout" ADD COLUMN "note" text',
  'ALTER TABLE "gateway"."payout" ALTER COLUMN "fee" SET DEFAULT 0; ALTER TABLE payout ALTER fee SET NOT NULL',
  'ALTER TABLE "gateway"."payout" DROP CONSTRAINT "payout_fk"',
  'ALTER TABLE "gateway"."payout" ALTER COLUMN "fee" DROP NOT NULL',
  'ALTER TABLE "a" ADD CONSTRAINT "fk" FOREIGN KEY ("b") REFERENCES "b"("id") ON DELETE cascade ON UPDATE no action',
  'DROP INDEX "gateway"."payout_due"',
  "CREATE TRIGGER t BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse()",
  "CREATE TRIGGER t BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
  "GRANT SELECT, DELETE ON ALL TABLES IN SCHEMA gateway TO app",
  "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DELETE FROM event; DROP TABLE event $$",
  "INSERT INTO note VALUES ('x; DROP TABLE event; -- ''quoted''')",
  "-- DROP TABLE event\nSELECT 1",
  'ALTER TABLE a ADD COLUMN "drop column b; delete from c" text',
];

describe("a migration", () => {
  it.each(DESTRUCTIVE)("is rejected without a marker: %s", (sql, says) => {
    const findings = findDestructive(`SELECT 1;\n${sql};`);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ line: 2, says: expect.stringContaining(says) });
  });

  it.each(DESTRUCTIVE)("is accepted with a marker: %s", (sql) => {
    expect(
      findDestructive(`SELECT 1;--> statement-breakpoint\n-- destructive: it is empty.\n${sql};`),
    ).toEqual([]);
  });

  it.each(HARMLESS)("needs no marker: %s", (sql) => {
    expect(findDestructive(sql)).toEqual([]);
  });

  it("needs a marker for each statement, even if no semicolon ends the previous one", () => {
    const sql =
      "-- destructive: nobody reads it.\nDROP TABLE a--> statement-breakpoint\nDROP TABLE b--> statement-breakpoint\nSELECT 1";
    expect(findDestructive(sql)).toMatchObject([{ line: 3, says: expect.stringContaining("drops a table") }]);
  });

  it("must not have a marker without a reason, or an unused one", () => {
    expect(findDestructive("-- destructive:\nDROP TABLE a;")).toMatchObject([
      { says: "a marker without a reason" },
    ]);
    expect(findDestructive("-- destructive: to be sure.\nSELECT 1;")).toHaveLength(1);
  });
});
