CREATE TABLE "gateway"."dashboard_account" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp with time zone,
	"refresh_token_expires_at" timestamp with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."dashboard_rate_limit" (
	"id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"count" integer NOT NULL,
	"last_request" bigint NOT NULL,
	CONSTRAINT "dashboard_rate_limit_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "gateway"."dashboard_session" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "dashboard_session_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "gateway"."dashboard_user" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"merchant_id" text NOT NULL,
	"live_merchant_id" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "dashboard_user_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "gateway"."dashboard_verification" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "merchant_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "mode" text DEFAULT 'test' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_account" ADD CONSTRAINT "dashboard_account_user_id_dashboard_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "gateway"."dashboard_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_session" ADD CONSTRAINT "dashboard_session_user_id_dashboard_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "gateway"."dashboard_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_user" ADD CONSTRAINT "dashboard_user_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dashboard_account_user_id_index" ON "gateway"."dashboard_account" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "dashboard_session_user_id_index" ON "gateway"."dashboard_session" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "payout_merchant_id_mode_created_at_id_index" ON "gateway"."payout" USING btree ("merchant_id","mode","created_at","id");--> statement-breakpoint
-- Lists of payouts go by merchant and time: whose a payout is stands in its own row, whoever inserts it.
UPDATE "gateway"."payout" p SET "merchant_id" = i."merchant_id", "mode" = i."mode" FROM "gateway"."intent" i WHERE i."id" = p."intent_id";--> statement-breakpoint
CREATE FUNCTION "gateway"."own_payout"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	SELECT i."merchant_id", i."mode" INTO NEW."merchant_id", NEW."mode" FROM "gateway"."intent" i WHERE i."id" = NEW."intent_id";
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "own" BEFORE INSERT ON "gateway"."payout" FOR EACH ROW EXECUTE FUNCTION "gateway"."own_payout"();
