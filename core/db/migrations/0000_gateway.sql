CREATE SCHEMA "gateway";
--> statement-breakpoint
CREATE TABLE "gateway"."api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" text NOT NULL,
	"mode" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_key_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "gateway"."delivery_proof" (
	"id" text PRIMARY KEY NOT NULL,
	"intent_id" text NOT NULL,
	"proof_hash" text NOT NULL,
	"proof_uri" text,
	"submitted_by" text NOT NULL,
	"submit_tx_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."deployment" (
	"id" text PRIMARY KEY NOT NULL,
	"chain_id" integer NOT NULL,
	"genesis_hash" text NOT NULL,
	"contract" text NOT NULL,
	"start_block" bigint NOT NULL,
	"tokens" jsonb NOT NULL,
	"current" boolean NOT NULL,
	"high_water_block" bigint DEFAULT 0 NOT NULL,
	"high_water_hash" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."event" (
	"id" text PRIMARY KEY NOT NULL,
	"intent_id" text NOT NULL,
	"type" text NOT NULL,
	"from_status" text,
	"to_status" text NOT NULL,
	"decided_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."intent" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"deployment_id" text NOT NULL,
	"merchant_id" text NOT NULL,
	"mode" text NOT NULL,
	"type" text NOT NULL,
	"amount" numeric(40, 0) NOT NULL,
	"currency" text NOT NULL,
	"description" text,
	"settlement_method" text NOT NULL,
	"settlement_destination" text NOT NULL,
	"estimated_fee" text NOT NULL,
	"estimated_delivery_time" text NOT NULL,
	"terms" jsonb NOT NULL,
	"metadata" jsonb NOT NULL,
	"payer" text,
	"signature" text,
	"signer" text,
	"signed_at" timestamp with time zone,
	"canceled_at" timestamp with time zone,
	"last_seen_status" text DEFAULT 'INITIATED' NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "intent_orderId_unique" UNIQUE("order_id"),
	CONSTRAINT "intent_id_is_order_id" CHECK ("gateway"."intent"."id" = 'intent_' || substr("gateway"."intent"."order_id", 3))
);
--> statement-breakpoint
CREATE TABLE "gateway"."merchant" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"account" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "merchant_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "gateway"."payout" (
	"id" text PRIMARY KEY NOT NULL,
	"reference" text NOT NULL,
	"intent_id" text NOT NULL,
	"settlement_id" text NOT NULL,
	"settlement_tx_hash" text NOT NULL,
	"attempt" integer NOT NULL,
	"method" text NOT NULL,
	"destination" text NOT NULL,
	"amount" numeric(40, 0) NOT NULL,
	"currency" text NOT NULL,
	"state" text DEFAULT 'created' NOT NULL,
	"provider_id" text,
	"failure" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"completed_at" timestamp with time zone,
	"final_at" timestamp with time zone,
	CONSTRAINT "payout_reference_unique" UNIQUE("reference")
);
--> statement-breakpoint
CREATE TABLE "gateway"."signer" (
	"deployment_id" text NOT NULL,
	"address" text NOT NULL,
	"next_nonce" integer NOT NULL,
	CONSTRAINT "signer_deployment_id_address_pk" PRIMARY KEY("deployment_id","address")
);
--> statement-breakpoint
CREATE TABLE "gateway"."transaction" (
	"id" text PRIMARY KEY NOT NULL,
	"deployment_id" text NOT NULL,
	"signer" text NOT NULL,
	"nonce" integer NOT NULL,
	"purpose" text NOT NULL,
	"to" text NOT NULL,
	"data" text NOT NULL,
	"gas" bigint NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"succeeded" boolean,
	"block_number" bigint,
	"mined_hash" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."transaction_attempt" (
	"hash" text PRIMARY KEY NOT NULL,
	"transaction_id" text NOT NULL,
	"raw" text NOT NULL,
	"max_fee_per_gas" numeric(40, 0) NOT NULL,
	"max_priority_fee_per_gas" numeric(40, 0) NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."transaction_hint" (
	"intent_id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"payer" text NOT NULL,
	"failed" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."transaction_order" (
	"transaction_id" text NOT NULL,
	"order_id" text NOT NULL,
	"purpose" text NOT NULL,
	CONSTRAINT "transaction_order_transaction_id_order_id_pk" PRIMARY KEY("transaction_id","order_id")
);
--> statement-breakpoint
ALTER TABLE "gateway"."api_key" ADD CONSTRAINT "api_key_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."delivery_proof" ADD CONSTRAINT "delivery_proof_intent_id_intent_id_fk" FOREIGN KEY ("intent_id") REFERENCES "gateway"."intent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD CONSTRAINT "event_intent_id_intent_id_fk" FOREIGN KEY ("intent_id") REFERENCES "gateway"."intent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."intent" ADD CONSTRAINT "intent_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."intent" ADD CONSTRAINT "intent_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD CONSTRAINT "payout_intent_id_intent_id_fk" FOREIGN KEY ("intent_id") REFERENCES "gateway"."intent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."signer" ADD CONSTRAINT "signer_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."transaction" ADD CONSTRAINT "transaction_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."transaction_attempt" ADD CONSTRAINT "transaction_attempt_transaction_id_transaction_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "gateway"."transaction"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."transaction_hint" ADD CONSTRAINT "transaction_hint_intent_id_intent_id_fk" FOREIGN KEY ("intent_id") REFERENCES "gateway"."intent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."transaction_order" ADD CONSTRAINT "transaction_order_transaction_id_transaction_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "gateway"."transaction"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_key_merchant_id_index" ON "gateway"."api_key" USING btree ("merchant_id");--> statement-breakpoint
CREATE INDEX "delivery_proof_intent_id_created_at_index" ON "gateway"."delivery_proof" USING btree ("intent_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "deployment_chain_id_genesis_hash_contract_index" ON "gateway"."deployment" USING btree ("chain_id","genesis_hash","contract");--> statement-breakpoint
CREATE UNIQUE INDEX "deployment_one_current" ON "gateway"."deployment" USING btree ("current") WHERE "gateway"."deployment"."current";--> statement-breakpoint
CREATE UNIQUE INDEX "event_intent_id_type_to_status_decided_by_index" ON "gateway"."event" USING btree ("intent_id","type","to_status","decided_by");--> statement-breakpoint
CREATE INDEX "event_intent_id_created_at_index" ON "gateway"."event" USING btree ("intent_id","created_at");--> statement-breakpoint
CREATE INDEX "intent_merchant_id_created_at_id_index" ON "gateway"."intent" USING btree ("merchant_id","created_at","id");--> statement-breakpoint
CREATE INDEX "intent_can_change" ON "gateway"."intent" USING btree ("deployment_id","id") WHERE "gateway"."intent"."last_seen_status" not in ('FINAL', 'CANCELED');--> statement-breakpoint
CREATE UNIQUE INDEX "payout_intent_id_settlement_id_attempt_index" ON "gateway"."payout" USING btree ("intent_id","settlement_id","attempt");--> statement-breakpoint
CREATE INDEX "payout_open" ON "gateway"."payout" USING btree ("created_at") WHERE "gateway"."payout"."state" in ('created', 'submitted', 'quarantined');--> statement-breakpoint
CREATE UNIQUE INDEX "transaction_deployment_id_signer_nonce_index" ON "gateway"."transaction" USING btree ("deployment_id","signer","nonce");--> statement-breakpoint
CREATE INDEX "transaction_unresolved" ON "gateway"."transaction" USING btree ("deployment_id","created_at") WHERE "gateway"."transaction"."state" in ('pending', 'mined');--> statement-breakpoint
CREATE INDEX "transaction_attempt_transaction_id_created_at_index" ON "gateway"."transaction_attempt" USING btree ("transaction_id","created_at");--> statement-breakpoint
CREATE INDEX "transaction_order_order_id_purpose_index" ON "gateway"."transaction_order" USING btree ("order_id","purpose");