CREATE TABLE "gateway"."ledger_balance" (
	"deployment_id" text NOT NULL,
	"merchant_id" text NOT NULL,
	"mode" text NOT NULL,
	"currency" text NOT NULL,
	"account" text NOT NULL,
	"amount" numeric(60, 0) NOT NULL,
	CONSTRAINT "ledger_balance_merchant_id_mode_deployment_id_currency_account_pk" PRIMARY KEY("merchant_id","mode","deployment_id","currency","account"),
	CONSTRAINT "ledger_balance_not_overdrawn" CHECK ("amount" >= 0 or "account" in ('payers', 'loss'))
);
--> statement-breakpoint
CREATE TABLE "gateway"."ledger_posting" (
	"position" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."ledger_posting_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"deployment_id" text NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"turn" integer NOT NULL,
	"taken_back" boolean NOT NULL,
	"amount" numeric(40, 0) NOT NULL,
	"from_account" text GENERATED ALWAYS AS (case "kind" when 'funded' then case when "taken_back" then 'custody' else 'payers' end when 'refunded' then case when "taken_back" then 'returned' else 'custody' end when 'withdrawn' then case when "taken_back" then 'withdrawn' else 'custody' end when 'settled' then case when "taken_back" then 'in_transit' else 'custody' end when 'paid' then case when "taken_back" then 'paid' else 'in_transit' end when 'fee' then case when "taken_back" then 'fees' else 'in_transit' end when 'payout_returned' then case when "taken_back" then 'in_transit' else 'paid' end when 'lost' then case when "taken_back" then 'in_transit' else 'loss' end end) STORED NOT NULL,
	"to_account" text GENERATED ALWAYS AS (case "kind" when 'funded' then case when "taken_back" then 'payers' else 'custody' end when 'refunded' then case when "taken_back" then 'custody' else 'returned' end when 'withdrawn' then case when "taken_back" then 'custody' else 'withdrawn' end when 'settled' then case when "taken_back" then 'custody' else 'in_transit' end when 'paid' then case when "taken_back" then 'in_transit' else 'paid' end when 'fee' then case when "taken_back" then 'in_transit' else 'fees' end when 'payout_returned' then case when "taken_back" then 'paid' else 'in_transit' end when 'lost' then case when "taken_back" then 'loss' else 'in_transit' end end) STORED NOT NULL,
	"intent_id" text NOT NULL,
	"payout_id" text,
	"block" bigint,
	"tx_hash" text,
	"merchant_id" text DEFAULT '' NOT NULL,
	"mode" text DEFAULT 'test' NOT NULL,
	"currency" text DEFAULT 'USDC' NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "ledger_posting_moves_something" CHECK ("gateway"."ledger_posting"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "gateway"."reconciliation" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."reconciliation_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"differences" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "gateway"."deployment" ADD COLUMN "ledger_block" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "settlement_block" bigint;--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "posted_state" text;--> statement-breakpoint
ALTER TABLE "gateway"."ledger_balance" ADD CONSTRAINT "ledger_balance_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."ledger_balance" ADD CONSTRAINT "ledger_balance_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."ledger_posting" ADD CONSTRAINT "ledger_posting_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."ledger_posting" ADD CONSTRAINT "ledger_posting_intent_id_intent_id_fk" FOREIGN KEY ("intent_id") REFERENCES "gateway"."intent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."ledger_posting" ADD CONSTRAINT "ledger_posting_payout_id_payout_id_fk" FOREIGN KEY ("payout_id") REFERENCES "gateway"."payout"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_posting_once" ON "gateway"."ledger_posting" USING btree ("deployment_id","kind","subject","turn");--> statement-breakpoint
CREATE INDEX "ledger_posting_intent_id_index" ON "gateway"."ledger_posting" USING btree ("intent_id");--> statement-breakpoint
CREATE INDEX "ledger_posting_deployment_id_block_index" ON "gateway"."ledger_posting" USING btree ("deployment_id","block");--> statement-breakpoint
CREATE INDEX "payout_unposted" ON "gateway"."payout" USING btree ("intent_id") WHERE "gateway"."payout"."state" in ('completed', 'failed', 'returned') and "gateway"."payout"."posted_state" is distinct from "gateway"."payout"."state";--> statement-breakpoint
CREATE INDEX "payout_settlement_block_index" ON "gateway"."payout" USING btree ("settlement_block");--> statement-breakpoint
-- The ledger is append-only for everybody, its owner included.
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "gateway"."ledger_posting" FOR EACH ROW EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only_whole" BEFORE TRUNCATE ON "gateway"."ledger_posting" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
-- Whose a posting is follows from its intent, whoever inserts it: none can be between two merchants or two currencies.
CREATE FUNCTION "gateway"."own_posting"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	SELECT i."deployment_id", i."merchant_id", i."mode", i."currency"
	INTO NEW."deployment_id", NEW."merchant_id", NEW."mode", NEW."currency"
	FROM "gateway"."intent" i WHERE i."id" = NEW."intent_id";
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "own" BEFORE INSERT ON "gateway"."ledger_posting" FOR EACH ROW EXECUTE FUNCTION "gateway"."own_posting"();--> statement-breakpoint
-- The balances follow the postings in their transaction, by the rights of the tables' owner. Rows that are missing come
-- first, empty: an account is overdrawn or not by what it comes to, not by what is taken from it. In the order of the
-- key, so that two transactions never wait for each other.
CREATE FUNCTION "gateway"."keep_balances"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
	INSERT INTO "gateway"."ledger_balance" ("deployment_id", "merchant_id", "mode", "currency", "account", "amount")
	SELECT DISTINCT p."deployment_id", p."merchant_id", p."mode", p."currency", a."account", 0
	FROM "posted" p CROSS JOIN LATERAL (VALUES (p."from_account"), (p."to_account")) a ("account")
	ORDER BY 1, 2, 3, 4, 5
	ON CONFLICT DO NOTHING;
	PERFORM FROM "gateway"."ledger_balance" b
	WHERE (b."deployment_id", b."merchant_id", b."mode", b."currency") IN
		(SELECT p."deployment_id", p."merchant_id", p."mode", p."currency" FROM "posted" p)
	ORDER BY b."deployment_id", b."merchant_id", b."mode", b."currency", b."account"
	FOR UPDATE;
	UPDATE "gateway"."ledger_balance" b SET "amount" = b."amount" + m."amount"
	FROM (
		SELECT p."deployment_id", p."merchant_id", p."mode", p."currency", a."account", sum(a."amount") AS "amount"
		FROM "posted" p
		CROSS JOIN LATERAL (VALUES (p."from_account", -p."amount"), (p."to_account", p."amount")) a ("account", "amount")
		GROUP BY 1, 2, 3, 4, 5
	) m
	WHERE (b."deployment_id", b."merchant_id", b."mode", b."currency", b."account")
		= (m."deployment_id", m."merchant_id", m."mode", m."currency", m."account");
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "balance" AFTER INSERT ON "gateway"."ledger_posting" REFERENCING NEW TABLE AS "posted" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."keep_balances"();--> statement-breakpoint
CREATE TRIGGER "only_by_postings" BEFORE INSERT OR UPDATE OR DELETE ON "gateway"."ledger_balance" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "only_by_postings_whole" BEFORE TRUNCATE ON "gateway"."ledger_balance" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gateway_app') THEN RETURN; END IF;
	REVOKE UPDATE, DELETE ON "gateway"."ledger_posting" FROM "gateway_app";
	REVOKE INSERT, UPDATE, DELETE ON "gateway"."ledger_balance" FROM "gateway_app";
END $$;
