CREATE TABLE "gateway"."idempotency_key" (
	"scope" text NOT NULL,
	"key" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"owner" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"status" integer,
	"body" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "idempotency_key_scope_key_pk" PRIMARY KEY("scope","key")
);
--> statement-breakpoint
CREATE INDEX "idempotency_key_created_at_index" ON "gateway"."idempotency_key" USING btree ("created_at");