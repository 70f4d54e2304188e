CREATE TABLE "gateway"."audit_log" (
	"transaction_id" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"position" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."audit_log_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL,
	"merchant_id" text,
	"mode" text,
	"actor_type" text NOT NULL,
	"actor" text,
	"action" text NOT NULL,
	"intent_id" text,
	"resource_id" text,
	"from_status" text,
	"to_status" text,
	"request_id" text,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "audit_log_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."audit_seal" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."audit_seal_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"first_position" bigint NOT NULL,
	"last_position" bigint NOT NULL,
	"leaves" text[] NOT NULL,
	"previous_hash" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "audit_seal_firstPosition_unique" UNIQUE("first_position"),
	CONSTRAINT "audit_seal_previousHash_unique" UNIQUE("previous_hash")
);
--> statement-breakpoint
CREATE TABLE "gateway"."webhook_attempt" (
	"id" text PRIMARY KEY NOT NULL,
	"delivery_id" text NOT NULL,
	"status_code" integer,
	"error" text,
	"response" text,
	"duration_ms" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."webhook_delivery" (
	"id" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"intent_id" text,
	"position" bigint NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT clock_timestamp(),
	"lease" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."webhook_endpoint" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"mode" text NOT NULL,
	"url" text NOT NULL,
	"description" text,
	"enabled_events" jsonb NOT NULL,
	"status" text DEFAULT 'enabled' NOT NULL,
	"disabled_reason" text,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_secret_until" timestamp with time zone,
	"paused_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "gateway"."event" ALTER COLUMN "intent_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."event" ALTER COLUMN "to_status" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD COLUMN "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."event_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD COLUMN "merchant_id" text;--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD COLUMN "mode" text;--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD COLUMN "sequence" integer;--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD COLUMN "data" jsonb;--> statement-breakpoint
-- Events of before: what they knew.
UPDATE "gateway"."event" e SET
	"merchant_id" = i."merchant_id", "mode" = i."mode",
	"sequence" = (SELECT count(*) FROM "gateway"."event" o WHERE o."intent_id" = e."intent_id" AND (o."created_at", o."id") <= (e."created_at", e."id")),
	"data" = jsonb_build_object(
		'object', jsonb_build_object('id', i."id", 'object', 'payment_intent', 'status', e."to_status", 'metadata', i."metadata"),
		'previousAttributes', jsonb_build_object('status', e."from_status"))
FROM "gateway"."intent" i WHERE i."id" = e."intent_id";--> statement-breakpoint
ALTER TABLE "gateway"."event" ALTER COLUMN "merchant_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."event" ALTER COLUMN "mode" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."event" ALTER COLUMN "data" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."intent" ADD COLUMN "escrow_told" text;--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "told_state" text;--> statement-breakpoint
ALTER TABLE "gateway"."webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_webhook_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "gateway"."webhook_delivery"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint_id_webhook_endpoint_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "gateway"."webhook_endpoint"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_event_id_fk" FOREIGN KEY ("event_id") REFERENCES "gateway"."event"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_merchant_id_mode_position_index" ON "gateway"."audit_log" USING btree ("merchant_id","mode","position");--> statement-breakpoint
CREATE INDEX "audit_log_intent_id_position_index" ON "gateway"."audit_log" USING btree ("intent_id","position");--> statement-breakpoint
CREATE INDEX "audit_log_metadata" ON "gateway"."audit_log" USING gin ("metadata" jsonb_path_ops);--> statement-breakpoint
CREATE INDEX "webhook_attempt_delivery_id_created_at_index" ON "gateway"."webhook_attempt" USING btree ("delivery_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_delivery_due" ON "gateway"."webhook_delivery" USING btree ("endpoint_id","next_attempt_at","position") WHERE "gateway"."webhook_delivery"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_delivery_of_intent" ON "gateway"."webhook_delivery" USING btree ("endpoint_id","intent_id","position") WHERE "gateway"."webhook_delivery"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_delivery_endpoint_id_position_index" ON "gateway"."webhook_delivery" USING btree ("endpoint_id","position");--> statement-breakpoint
CREATE INDEX "webhook_delivery_event_id_index" ON "gateway"."webhook_delivery" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "webhook_endpoint_merchant_id_mode_created_at_index" ON "gateway"."webhook_endpoint" USING btree ("merchant_id","mode","created_at");--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD CONSTRAINT "event_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "event_fact" ON "gateway"."event" USING btree ("intent_id","type","decided_by") WHERE "gateway"."event"."to_status" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "event_intent_id_sequence_index" ON "gateway"."event" USING btree ("intent_id","sequence");--> statement-breakpoint
CREATE UNIQUE INDEX "event_merchant_id_mode_position_index" ON "gateway"."event" USING btree ("merchant_id","mode","position");--> statement-breakpoint
CREATE INDEX "payout_untold" ON "gateway"."payout" USING btree ("updated_at") WHERE "gateway"."payout"."state" in ('completed', 'failed', 'returned') and "gateway"."payout"."told_state" is distinct from "gateway"."payout"."state";--> statement-breakpoint
-- What the payouts of before came to was told when it happened, as far as it was.
UPDATE "gateway"."payout" SET "told_state" = "state";--> statement-breakpoint
-- The audit log is append-only for everybody, its owner included.
CREATE FUNCTION "gateway"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is append-only: % is refused.', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;--> statement-breakpoint
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "gateway"."audit_log" FOR EACH ROW EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only_whole" BEFORE TRUNCATE ON "gateway"."audit_log" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "gateway"."audit_seal" FOR EACH ROW EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only_whole" BEFORE TRUNCATE ON "gateway"."audit_seal" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
-- A payout's states enter the log in the transaction that changes them, whoever writes it.
CREATE FUNCTION "gateway"."audit_payout"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' OR OLD."state" <> NEW."state" THEN
		INSERT INTO "gateway"."audit_log"
			("id", "merchant_id", "mode", "actor_type", "action", "intent_id", "resource_id", "from_status", "to_status", "metadata")
		SELECT 'audit_' || replace(gen_random_uuid()::text, '-', ''), i."merchant_id", i."mode", 'system', 'payout.' || NEW."state",
			i."id", NEW."id", CASE WHEN TG_OP = 'UPDATE' THEN OLD."state" END, NEW."state", i."metadata"
		FROM "gateway"."intent" i WHERE i."id" = NEW."intent_id";
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "audit" AFTER INSERT OR UPDATE OF "state" ON "gateway"."payout" FOR EACH ROW EXECUTE FUNCTION "gateway"."audit_payout"();--> statement-breakpoint
-- The role of the processes that serve (docs/audit-log.md). Roles belong to the server, and other databases on it may
-- have made this one; an owner who may make no roles makes it by hand and grants the same.
DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gateway_app') THEN CREATE ROLE "gateway_app" NOLOGIN; END IF;
EXCEPTION
	WHEN duplicate_object OR unique_violation THEN NULL;
	WHEN insufficient_privilege THEN RAISE NOTICE 'The role gateway_app could not be made.';
END $$;--> statement-breakpoint
DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gateway_app') THEN RETURN; END IF;
	GRANT USAGE ON SCHEMA "gateway" TO "gateway_app";
	GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "gateway" TO "gateway_app";
	GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA "gateway" TO "gateway_app";
	REVOKE UPDATE, DELETE ON "gateway"."audit_log", "gateway"."audit_seal" FROM "gateway_app";
	-- What is made later: tables of later migrations, the indexer's views.
	ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO "gateway_app";
	ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "gateway_app";
	ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO "gateway_app";
END $$;
