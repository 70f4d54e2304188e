CREATE UNLOGGED TABLE "gateway"."rate_limit" (
	"key" varchar(255) PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
ALTER TABLE "gateway"."api_key" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "gateway"."api_key" ADD COLUMN "hint" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."api_key" ADD COLUMN "access" text DEFAULT 'full' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."api_key" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "gateway"."api_key" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "gateway"."api_key" ADD COLUMN "replaced_by" text;--> statement-breakpoint
-- Whoever changes a key, by whatever way: the processes that remember it are told (core/keys/listen.ts).
CREATE FUNCTION "gateway"."tell_api_key_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gateway_api_key', '');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "api_key_changed"
  AFTER DELETE OR UPDATE OF "hash", "merchant_id", "mode", "access", "expires_at", "revoked_at"
  ON "gateway"."api_key" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."tell_api_key_changed"();
