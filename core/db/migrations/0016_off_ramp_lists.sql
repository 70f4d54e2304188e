CREATE TABLE "gateway"."list_reading" (
	"account" text PRIMARY KEY NOT NULL,
	"reader" text,
	"read_until" timestamp with time zone DEFAULT 'epoch' NOT NULL,
	"known_from" timestamp with time zone,
	"known_from_id" text,
	"known_until" timestamp with time zone,
	"began_at" timestamp with time zone,
	"last_id" text,
	"last_at" timestamp with time zone,
	"known_next" timestamp with time zone,
	"complete_since" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "gateway"."listed_transfer" (
	"account" text NOT NULL,
	"provider_id" text NOT NULL,
	"reference" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "listed_transfer_account_provider_id_pk" PRIMARY KEY("account","provider_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."wanted_transfer" (
	"account" text NOT NULL,
	"reference" text NOT NULL,
	"since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"not_before" timestamp with time zone NOT NULL,
	CONSTRAINT "wanted_transfer_account_reference_pk" PRIMARY KEY("account","reference")
);
--> statement-breakpoint
CREATE INDEX "listed_transfer_account_reference_index" ON "gateway"."listed_transfer" USING btree ("account","reference");