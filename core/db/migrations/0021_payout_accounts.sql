CREATE TABLE "gateway"."off_ramp_wallet" (
	"account" text NOT NULL,
	"address" text NOT NULL,
	"wallet_id" text NOT NULL,
	"settings" text NOT NULL,
	"verified_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "off_ramp_wallet_account_address_pk" PRIMARY KEY("account","address")
);
--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "account" text;--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "blocked" text;