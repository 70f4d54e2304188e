CREATE SCHEMA "gateway";
--> statement-breakpoint
CREATE SEQUENCE "gateway"."audit_log_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "gateway"."audit_archive" (
	"first_position" bigint PRIMARY KEY NOT NULL,
	"last_position" bigint NOT NULL,
	"rows" integer NOT NULL,
	"seals" integer NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	"file_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "audit_archive_lastPosition_unique" UNIQUE("last_position")
);
--> statement-breakpoint
CREATE TABLE "gateway"."audit_log" (
	"position" bigint PRIMARY KEY DEFAULT case when pg_current_xact_id() is not null then nextval('gateway.audit_log_position_seq') end NOT NULL,
	"id" uuid NOT NULL,
	"merchant_id" "bytea",
	"mode" text,
	"actor_type" text NOT NULL,
	"actor" text,
	"action" text NOT NULL,
	"intent_id" "bytea",
	"resource_id" text,
	"from_status" text,
	"to_status" text,
	"request_id" text,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"changes" jsonb,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "audit_log_id_unique" UNIQUE("id"),
	CONSTRAINT "audit_log_position_positive" CHECK ("gateway"."audit_log"."position" > 0)
);
--> statement-breakpoint
CREATE TABLE "gateway"."audit_seal" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."audit_seal_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"first_position" bigint NOT NULL,
	"last_position" bigint NOT NULL,
	"leaves" "bytea" NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "audit_seal_firstPosition_unique" UNIQUE("first_position"),
	CONSTRAINT "audit_seal_previousHash_unique" UNIQUE("previous_hash"),
	CONSTRAINT "audit_seal_lengths" CHECK (octet_length("gateway"."audit_seal"."leaves") % 38 = 0 and octet_length("gateway"."audit_seal"."hash") = 32 and octet_length("gateway"."audit_seal"."previous_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "gateway"."deployment" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."deployment_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"chain_id" integer NOT NULL,
	"genesis_hash" text NOT NULL,
	"contract" text NOT NULL,
	"start_block" bigint NOT NULL,
	"tokens" jsonb NOT NULL,
	"units" jsonb NOT NULL,
	"wallets" jsonb NOT NULL,
	"current" boolean NOT NULL,
	"verified_hash" text,
	"verified_at" timestamp with time zone,
	"verified_by" text,
	"high_water_block" bigint DEFAULT 0 NOT NULL,
	"tracked_block" bigint DEFAULT 0 NOT NULL,
	"ledger_block" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."event" (
	"position" bigint DEFAULT case when pg_current_xact_id() is not null then nextval('gateway.audit_log_position_seq') end NOT NULL,
	"id" uuid NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"mode" text NOT NULL,
	"intent_id" "bytea",
	"sequence" integer,
	"type" text NOT NULL,
	"from_status" text,
	"to_status" text,
	"decided_by" text NOT NULL,
	"data" "bytea" NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"actor_type" text,
	"actor" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "event_id_merchant_id_pk" PRIMARY KEY("id","merchant_id"),
	CONSTRAINT "event_position_positive" CHECK ("gateway"."event"."position" > 0),
	CONSTRAINT "event_merchant_id_form" CHECK (octet_length("gateway"."event"."merchant_id") = 10)
);
--> statement-breakpoint
CREATE TABLE "gateway"."delivery_proof" (
	"id" uuid NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"intent_id" "bytea" NOT NULL,
	"proof_hash" "bytea" NOT NULL,
	"proof_uri" text,
	"submitted_by" text NOT NULL,
	"submit_tx_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "delivery_proof_id_merchant_id_pk" PRIMARY KEY("id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."dispute_raiser" (
	"merchant_id" "bytea" NOT NULL,
	"intent_id" "bytea" NOT NULL,
	"side" integer NOT NULL,
	"raised_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "dispute_raiser_intent_id_side_merchant_id_pk" PRIMARY KEY("intent_id","side","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."intent" (
	"id" "bytea" NOT NULL,
	"deployment_id" integer NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"mode" text NOT NULL,
	"type" text NOT NULL,
	"amount" numeric(40, 0) NOT NULL,
	"currency" text NOT NULL,
	"description" text,
	"settlement_method" text NOT NULL,
	"settlement_destination" text NOT NULL,
	"estimated_fee" text NOT NULL,
	"estimated_delivery_time" text NOT NULL,
	"terms" "bytea" NOT NULL,
	"metadata" jsonb NOT NULL,
	"return_url" text,
	"cancel_url" text,
	"payer" text,
	"signature" "bytea",
	"funding_method" text,
	"signer" text,
	"signed_at" timestamp with time zone,
	"canceled_at" timestamp with time zone,
	"last_emitted_status" text DEFAULT 'INITIATED' NOT NULL,
	"last_emitted_merchant_status" text DEFAULT 'AWAITING_PAYMENT' NOT NULL,
	"ended_as" text,
	"ended_at" timestamp with time zone,
	"escrow_emitted" "bytea",
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "intent_id_merchant_id_pk" PRIMARY KEY("id","merchant_id"),
	CONSTRAINT "intent_id_is_order_id" CHECK (octet_length("gateway"."intent"."id") = 32),
	CONSTRAINT "intent_terms_length" CHECK (octet_length("gateway"."intent"."terms") = 241)
);
--> statement-breakpoint
CREATE TABLE "gateway"."intent_by_status" (
	"merchant_id" "bytea" NOT NULL,
	"mode" text NOT NULL,
	"merchant_status" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"intent_id" "bytea" NOT NULL,
	CONSTRAINT "intent_by_status_pk" PRIMARY KEY("merchant_id","mode","merchant_status","status","created_at","intent_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."milestone" (
	"id" text NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"intent_id" "bytea" NOT NULL,
	"milestone_index" integer NOT NULL,
	"description" text,
	"amount" numeric(40, 0) NOT NULL,
	"percentage" double precision,
	"completed_at" timestamp with time zone,
	"completed_by" text,
	"completion_proof" text,
	"completion_proof_uri" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "milestone_id_merchant_id_pk" PRIMARY KEY("id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."ledger_balance" (
	"deployment_id" integer NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"mode" text NOT NULL,
	"currency" text NOT NULL,
	"account" text NOT NULL,
	"amount" numeric(60, 0) NOT NULL,
	CONSTRAINT "ledger_balance_pk" PRIMARY KEY("merchant_id","mode","deployment_id","currency","account"),
	CONSTRAINT "ledger_balance_not_overdrawn" CHECK ("amount" >= 0 or "account" in ('payers', 'loss', 'covered', 'converted', 'operator'))
);
--> statement-breakpoint
CREATE TABLE "gateway"."ledger_posting" (
	"deployment_id" integer NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"revision" integer NOT NULL,
	"reversed" boolean NOT NULL,
	"amount" numeric(40, 0) NOT NULL,
	"from_account" text GENERATED ALWAYS AS (case "kind" when 'funded' then case when "reversed" then 'custody' else 'payers' end when 'refunded' then case when "reversed" then 'returned' else 'custody' end when 'withdrawn' then case when "reversed" then 'withdrawn' else 'custody' end when 'settled' then case when "reversed" then 'in_transit' else 'custody' end when 'paid' then case when "reversed" then 'paid' else 'in_transit' end when 'paid_externally' then case when "reversed" then 'paid' else 'in_transit' end when 'fee' then case when "reversed" then 'fees' else 'in_transit' end when 'gas' then case when "reversed" then 'gas' else 'in_transit' end when 'delivered' then case when "reversed" then 'delivered' else 'converted' end when 'fee_covered' then case when "reversed" then 'in_transit' else 'covered' end when 'payout_returned' then case when "reversed" then 'in_transit' else 'paid' end when 'lost' then case when "reversed" then 'in_transit' else 'loss' end when 'network_fee' then case when "reversed" then 'network' else 'operator' end end) STORED NOT NULL,
	"to_account" text GENERATED ALWAYS AS (case "kind" when 'funded' then case when "reversed" then 'payers' else 'custody' end when 'refunded' then case when "reversed" then 'custody' else 'returned' end when 'withdrawn' then case when "reversed" then 'custody' else 'withdrawn' end when 'settled' then case when "reversed" then 'custody' else 'in_transit' end when 'paid' then case when "reversed" then 'in_transit' else 'paid' end when 'paid_externally' then case when "reversed" then 'in_transit' else 'paid' end when 'fee' then case when "reversed" then 'in_transit' else 'fees' end when 'gas' then case when "reversed" then 'in_transit' else 'gas' end when 'delivered' then case when "reversed" then 'converted' else 'delivered' end when 'fee_covered' then case when "reversed" then 'covered' else 'in_transit' end when 'payout_returned' then case when "reversed" then 'paid' else 'in_transit' end when 'lost' then case when "reversed" then 'loss' else 'in_transit' end when 'network_fee' then case when "reversed" then 'operator' else 'network' end end) STORED NOT NULL,
	"intent_id" "bytea" NOT NULL,
	"payout_id" uuid,
	"block" bigint,
	"tx_hash" "bytea",
	"merchant_id" "bytea" DEFAULT '' NOT NULL,
	"mode" text DEFAULT 'test' NOT NULL,
	"currency" text DEFAULT 'USDC' NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "ledger_posting_once" PRIMARY KEY("intent_id","kind","subject","revision","merchant_id"),
	CONSTRAINT "ledger_posting_amount_positive" CHECK ("gateway"."ledger_posting"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "gateway"."api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"mode" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"name" text,
	"hint" text DEFAULT '' NOT NULL,
	"access" text DEFAULT 'full' NOT NULL,
	"last_used_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"replaced_by" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_key_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "gateway"."merchant" (
	"id" "bytea" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"account" text NOT NULL,
	"logo_url" text,
	"support_email" text,
	"return_hosts" text[] DEFAULT '{}'::text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "merchant_name_unique" UNIQUE("name"),
	CONSTRAINT "merchant_id_form" CHECK (octet_length("gateway"."merchant"."id") = 10)
);
--> statement-breakpoint
CREATE TABLE "gateway"."off_ramp_account" (
	"account" text PRIMARY KEY NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"changed_by" text,
	"reason" text,
	"changed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"failing_since" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "gateway"."off_ramp_balance" (
	"token" text NOT NULL,
	"wallet" text NOT NULL,
	"balance" numeric(40, 0) NOT NULL,
	"allocated" numeric(40, 0) NOT NULL,
	"revision" integer NOT NULL,
	"read_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "off_ramp_balance_token_wallet_pk" PRIMARY KEY("token","wallet")
);
--> statement-breakpoint
CREATE TABLE "gateway"."off_ramp_wallet" (
	"account" text NOT NULL,
	"address" text NOT NULL,
	"wallet_id" text NOT NULL,
	"settings" text NOT NULL,
	"verified_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "off_ramp_wallet_account_address_pk" PRIMARY KEY("account","address")
);
--> statement-breakpoint
CREATE TABLE "gateway"."provider_transfer" (
	"account" text NOT NULL,
	"provider_id" text NOT NULL,
	"reference" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "provider_transfer_account_provider_id_pk" PRIMARY KEY("account","provider_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."transfer_list_scan" (
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
CREATE TABLE "gateway"."transfer_lookup" (
	"account" text NOT NULL,
	"reference" text NOT NULL,
	"since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"not_before" timestamp with time zone NOT NULL,
	CONSTRAINT "transfer_lookup_account_reference_pk" PRIMARY KEY("account","reference")
);
--> statement-breakpoint
CREATE TABLE "gateway"."control" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"changed_by" text NOT NULL,
	"changed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."operation" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."operation_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"arguments" jsonb NOT NULL,
	"amount" numeric(40, 0),
	"currency" text,
	"requested_by" text NOT NULL,
	"requested_login" text DEFAULT session_user NOT NULL,
	"requested_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"decided_by" text,
	"decided_login" text,
	"decided_at" timestamp with time zone,
	"outcome" text
);
--> statement-breakpoint
CREATE TABLE "gateway"."reconciliation_difference" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."reconciliation_difference_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"about" text NOT NULL,
	"identity" text NOT NULL,
	"says" text NOT NULL,
	"amount" numeric(40, 0),
	"currency" text,
	"first_seen" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_seen" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"acknowledged_by" text,
	"acknowledged_at" timestamp with time zone,
	"reason" text
);
--> statement-breakpoint
CREATE TABLE "gateway"."payout" (
	"id" uuid NOT NULL,
	"reference" text NOT NULL,
	"intent_id" "bytea" NOT NULL,
	"settlement_number" integer NOT NULL,
	"part" integer DEFAULT 0 NOT NULL,
	"settlement_tx_hash" "bytea" NOT NULL,
	"settlement_block" bigint,
	"settled_at" timestamp with time zone NOT NULL,
	"settlement_amount" numeric(40, 0) NOT NULL,
	"attempt" integer NOT NULL,
	"method" text NOT NULL,
	"destination" text NOT NULL,
	"amount" numeric(40, 0) NOT NULL,
	"fee" numeric(40, 0) DEFAULT 0 NOT NULL,
	"gas" numeric(40, 0) DEFAULT 0 NOT NULL,
	"delivered_amount" numeric(40, 0),
	"delivered_currency" text,
	"rate" text,
	"deducted" numeric(40, 0) DEFAULT 0 NOT NULL,
	"covered" numeric(40, 0) DEFAULT 0 NOT NULL,
	"currency" text NOT NULL,
	"account" text,
	"wallet" text,
	"called_at" timestamp with time zone,
	"allocated" boolean DEFAULT false NOT NULL,
	"awaits_funds" boolean DEFAULT false NOT NULL,
	"declined_calls" integer DEFAULT 0 NOT NULL,
	"spent_call" integer,
	"blocked" text,
	"merchant_id" "bytea" DEFAULT '' NOT NULL,
	"mode" text DEFAULT 'test' NOT NULL,
	"state" text DEFAULT 'created' NOT NULL,
	"provider_id" text,
	"failure" text,
	"refunded" boolean,
	"retried" boolean DEFAULT false NOT NULL,
	"admitted_at" timestamp with time zone,
	"held_since" timestamp with time zone,
	"approved_by" text,
	"external_reference" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"completed_at" timestamp with time zone,
	"final_at" timestamp with time zone,
	"next_attempt_at" timestamp with time zone DEFAULT clock_timestamp(),
	"leased_until" timestamp with time zone,
	"emitted_state" text,
	"posted_state" text,
	CONSTRAINT "payout_id_merchant_id_pk" PRIMARY KEY("id","merchant_id"),
	CONSTRAINT "payout_funds_open" CHECK ((not "gateway"."payout"."allocated" or "gateway"."payout"."state" in ('created', 'quarantined'))
        and (not "gateway"."payout"."awaits_funds" or "gateway"."payout"."state" in ('submitted', 'quarantined')))
);
--> statement-breakpoint
CREATE TABLE "gateway"."unposted_payout" (
	"payout_id" uuid NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"intent_id" "bytea" NOT NULL,
	CONSTRAINT "unposted_payout_payout_id_merchant_id_pk" PRIMARY KEY("payout_id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."reconciliation_balance" (
	"run_id" bigint NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"mode" text NOT NULL,
	"currency" text NOT NULL,
	"account" text NOT NULL,
	"amount" numeric(60, 0) NOT NULL,
	CONSTRAINT "reconciliation_balance_pk" PRIMARY KEY("merchant_id","run_id","mode","currency","account")
);
--> statement-breakpoint
CREATE TABLE "gateway"."reconciliation_finding" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."reconciliation_finding_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"run_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"about" text NOT NULL,
	"says" text NOT NULL,
	"token" text,
	"stake" jsonb,
	"identity" text NOT NULL,
	"subject" jsonb NOT NULL,
	"confirmed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."reconciliation_run" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."reconciliation_run_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"deployment_id" integer NOT NULL,
	"name" text,
	"merchant_id" "bytea",
	"since" timestamp with time zone NOT NULL,
	"sealed" jsonb,
	"target" jsonb NOT NULL,
	"stage" text,
	"cursor" jsonb,
	"worker" text NOT NULL,
	"leased_until" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."reconciliation_seal" (
	"deployment_id" integer PRIMARY KEY NOT NULL,
	"seal" jsonb NOT NULL,
	"sealed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."reconciliation_transfer" (
	"run_id" bigint NOT NULL,
	"account" text NOT NULL,
	"reference" text NOT NULL,
	"provider_id" text NOT NULL,
	CONSTRAINT "reconciliation_transfer_pk" PRIMARY KEY("run_id","account","reference")
);
--> statement-breakpoint
CREATE TABLE "gateway"."reconciliation" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gateway"."reconciliation_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"differences" jsonb,
	"full" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
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
CREATE UNLOGGED TABLE "gateway"."rate_limit" (
	"key" varchar(255) PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE TABLE "gateway"."request_log" (
	"id" uuid NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"mode" text NOT NULL,
	"key_id" text NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"status" integer NOT NULL,
	"duration_ms" integer NOT NULL,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "request_log_id_merchant_id_pk" PRIMARY KEY("id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."search_term" (
	"merchant_id" "bytea" NOT NULL,
	"term" text collate "C" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"intent_id" "bytea" NOT NULL,
	CONSTRAINT "search_term_merchant_id_term_created_at_intent_id_pk" PRIMARY KEY("merchant_id","term","created_at","intent_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."reported_transaction" (
	"merchant_id" "bytea" NOT NULL,
	"intent_id" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	"payer" text NOT NULL,
	"failed" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "reported_transaction_intent_id_merchant_id_pk" PRIMARY KEY("intent_id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."signer" (
	"deployment_id" integer NOT NULL,
	"address" "bytea" NOT NULL,
	"next_nonce" integer NOT NULL,
	CONSTRAINT "signer_deployment_id_address_pk" PRIMARY KEY("deployment_id","address")
);
--> statement-breakpoint
CREATE TABLE "gateway"."transaction" (
	"id" uuid PRIMARY KEY NOT NULL,
	"deployment_id" integer NOT NULL,
	"signer" "bytea" NOT NULL,
	"nonce" integer NOT NULL,
	"purpose" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"resolved" boolean GENERATED ALWAYS AS ("state" in ('final', 'dropped')) STORED NOT NULL,
	"fee_posted" boolean DEFAULT false NOT NULL,
	"open" boolean GENERATED ALWAYS AS ("state" in ('pending', 'mined') or "state" = 'final' and not "fee_posted") STORED NOT NULL,
	"succeeded" boolean,
	"block_number" bigint,
	"block_hash" "bytea",
	"mined_hash" "bytea",
	"network_fee" numeric(40, 0),
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."transaction_attempt" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"transaction_id" uuid NOT NULL,
	"raw" "bytea" NOT NULL,
	"max_fee_per_gas" numeric(40, 0) NOT NULL,
	"max_priority_fee_per_gas" numeric(40, 0) NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."transaction_order" (
	"transaction_id" uuid NOT NULL,
	"order_id" "bytea" NOT NULL,
	"purpose" text NOT NULL,
	CONSTRAINT "transaction_order_transaction_id_order_id_pk" PRIMARY KEY("transaction_id","order_id")
);
--> statement-breakpoint
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
CREATE TABLE "gateway"."dashboard_two_factor" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"secret" text NOT NULL,
	"backup_codes" text NOT NULL,
	"verified" boolean DEFAULT false NOT NULL,
	"failed_verification_count" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp with time zone,
	CONSTRAINT "dashboard_two_factor_userId_unique" UNIQUE("user_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."dashboard_user" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"merchant_id" "bytea" NOT NULL,
	"live_merchant_id" "bytea",
	"role" text DEFAULT 'admin' NOT NULL,
	"two_factor_enabled" boolean DEFAULT false NOT NULL,
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
CREATE TABLE "gateway"."webhook_attempt" (
	"id" uuid NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"delivery_id" uuid NOT NULL,
	"status_code" integer,
	"error" text,
	"response" text,
	"duration_ms" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "webhook_attempt_id_merchant_id_pk" PRIMARY KEY("id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."webhook_delivery" (
	"id" uuid NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"intent_id" "bytea",
	"sequence" integer,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT clock_timestamp(),
	"lease" text,
	"leased_until" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "webhook_delivery_id_merchant_id_pk" PRIMARY KEY("id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."webhook_endpoint" (
	"id" uuid NOT NULL,
	"merchant_id" "bytea" NOT NULL,
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
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "webhook_endpoint_id_merchant_id_pk" PRIMARY KEY("id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."leader_lease" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gateway"."tracked_order" (
	"deployment_id" integer NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"order_id" "bytea" NOT NULL,
	"block" bigint NOT NULL,
	"block_hash" "bytea" NOT NULL,
	CONSTRAINT "tracked_order_order_id_merchant_id_pk" PRIMARY KEY("order_id","merchant_id")
);
--> statement-breakpoint
CREATE TABLE "gateway"."work_item" (
	"deployment_id" integer NOT NULL,
	"merchant_id" "bytea" NOT NULL,
	"order_id" "bytea" NOT NULL,
	"purpose" text NOT NULL,
	"clock" text NOT NULL,
	"due" bigint NOT NULL,
	"leased_until" timestamp with time zone,
	"revision" integer DEFAULT (random() * 1000000000)::integer NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"derived" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "work_item_order_id_purpose_merchant_id_pk" PRIMARY KEY("order_id","purpose","merchant_id")
);
--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD CONSTRAINT "event_intent_id_merchant_id_intent_id_merchant_id_fk" FOREIGN KEY ("intent_id","merchant_id") REFERENCES "gateway"."intent"("id","merchant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."delivery_proof" ADD CONSTRAINT "delivery_proof_intent_id_merchant_id_intent_id_merchant_id_fk" FOREIGN KEY ("intent_id","merchant_id") REFERENCES "gateway"."intent"("id","merchant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."dispute_raiser" ADD CONSTRAINT "dispute_raiser_intent_id_merchant_id_intent_id_merchant_id_fk" FOREIGN KEY ("intent_id","merchant_id") REFERENCES "gateway"."intent"("id","merchant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."intent" ADD CONSTRAINT "intent_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."milestone" ADD CONSTRAINT "milestone_intent_id_merchant_id_intent_id_merchant_id_fk" FOREIGN KEY ("intent_id","merchant_id") REFERENCES "gateway"."intent"("id","merchant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."ledger_posting" ADD CONSTRAINT "ledger_posting_payout_id_merchant_id_payout_id_merchant_id_fk" FOREIGN KEY ("payout_id","merchant_id") REFERENCES "gateway"."payout"("id","merchant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."api_key" ADD CONSTRAINT "api_key_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD CONSTRAINT "payout_intent_id_merchant_id_intent_id_merchant_id_fk" FOREIGN KEY ("intent_id","merchant_id") REFERENCES "gateway"."intent"("id","merchant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."reconciliation_balance" ADD CONSTRAINT "reconciliation_balance_run_id_reconciliation_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "gateway"."reconciliation_run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."reconciliation_finding" ADD CONSTRAINT "reconciliation_finding_run_id_reconciliation_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "gateway"."reconciliation_run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."reconciliation_run" ADD CONSTRAINT "reconciliation_run_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."reconciliation_seal" ADD CONSTRAINT "reconciliation_seal_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."reconciliation_transfer" ADD CONSTRAINT "reconciliation_transfer_run_id_reconciliation_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "gateway"."reconciliation_run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."request_log" ADD CONSTRAINT "request_log_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."reported_transaction" ADD CONSTRAINT "reported_transaction_intent_fk" FOREIGN KEY ("intent_id","merchant_id") REFERENCES "gateway"."intent"("id","merchant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."signer" ADD CONSTRAINT "signer_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."transaction_attempt" ADD CONSTRAINT "transaction_attempt_transaction_id_transaction_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "gateway"."transaction"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."transaction_order" ADD CONSTRAINT "transaction_order_transaction_id_transaction_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "gateway"."transaction"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_account" ADD CONSTRAINT "dashboard_account_user_id_dashboard_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "gateway"."dashboard_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_session" ADD CONSTRAINT "dashboard_session_user_id_dashboard_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "gateway"."dashboard_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_two_factor" ADD CONSTRAINT "dashboard_two_factor_user_id_dashboard_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "gateway"."dashboard_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_user" ADD CONSTRAINT "dashboard_user_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_fk" FOREIGN KEY ("delivery_id","merchant_id") REFERENCES "gateway"."webhook_delivery"("id","merchant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint_fk" FOREIGN KEY ("endpoint_id","merchant_id") REFERENCES "gateway"."webhook_endpoint"("id","merchant_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_merchant_id_mode_created_at_position_index" ON "gateway"."audit_log" USING btree ("merchant_id","mode","created_at","position");--> statement-breakpoint
CREATE INDEX "audit_log_merchant_id_mode_action_created_at_position_index" ON "gateway"."audit_log" USING btree ("merchant_id","mode","action","created_at","position");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "gateway"."audit_log" USING btree ("merchant_id","mode",hashtextextended("actor", 0),"created_at","position") WHERE "gateway"."audit_log"."actor" is not null;--> statement-breakpoint
CREATE INDEX "audit_log_actor_type" ON "gateway"."audit_log" USING btree ("merchant_id","mode","actor_type","created_at","position") WHERE "gateway"."audit_log"."actor_type" not in ('api_key');--> statement-breakpoint
CREATE INDEX "audit_log_intent_id_created_at_index" ON "gateway"."audit_log" USING btree ("intent_id","created_at");--> statement-breakpoint
CREATE INDEX "audit_log_metadata" ON "gateway"."audit_log" USING gin ("metadata" jsonb_path_ops) WITH (fastupdate=false) WHERE "gateway"."audit_log"."metadata" <> '{}';--> statement-breakpoint
CREATE UNIQUE INDEX "deployment_chain_id_genesis_hash_contract_index" ON "gateway"."deployment" USING btree ("chain_id","genesis_hash","contract");--> statement-breakpoint
CREATE UNIQUE INDEX "deployment_one_current" ON "gateway"."deployment" USING btree ("current") WHERE "gateway"."deployment"."current";--> statement-breakpoint
CREATE UNIQUE INDEX "event_once" ON "gateway"."event" USING btree ("intent_id",hashtextextended("type" || ' ' || coalesce("to_status", '') || ' ' || "decided_by", 0),"merchant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "event_position_merchant_id_index" ON "gateway"."event" USING btree ("position","merchant_id");--> statement-breakpoint
CREATE INDEX "event_merchant_id_mode_created_at_position_index" ON "gateway"."event" USING btree ("merchant_id","mode","created_at","position");--> statement-breakpoint
CREATE INDEX "event_merchant_id_mode_type_created_at_position_index" ON "gateway"."event" USING btree ("merchant_id","mode","type","created_at","position");--> statement-breakpoint
CREATE INDEX "event_actor" ON "gateway"."event" USING btree ("merchant_id","mode",hashtextextended("actor", 0),"created_at","position") WHERE "gateway"."event"."actor" is not null;--> statement-breakpoint
CREATE INDEX "event_actor_type" ON "gateway"."event" USING btree ("merchant_id","mode","actor_type","created_at","position") WHERE "gateway"."event"."actor_type" not in ('payer', 'system');--> statement-breakpoint
CREATE INDEX "event_metadata" ON "gateway"."event" USING gin ("metadata" jsonb_path_ops) WITH (fastupdate=false) WHERE "gateway"."event"."metadata" <> '{}';--> statement-breakpoint
CREATE INDEX "delivery_proof_intent_id_created_at_index" ON "gateway"."delivery_proof" USING btree ("intent_id","created_at");--> statement-breakpoint
CREATE INDEX "intent_merchant_id_mode_created_at_id_index" ON "gateway"."intent" USING btree ("merchant_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "intent_merchant_id_mode_currency_created_at_id_index" ON "gateway"."intent" USING btree ("merchant_id","mode","currency","created_at","id");--> statement-breakpoint
CREATE INDEX "intent_metadata" ON "gateway"."intent" USING gin ("metadata" jsonb_path_ops) WITH (fastupdate=false) WHERE "gateway"."intent"."metadata" <> '{}';--> statement-breakpoint
CREATE INDEX "intent_can_change" ON "gateway"."intent" USING btree ("deployment_id","id") WHERE "gateway"."intent"."ended_as" is null;--> statement-breakpoint
CREATE INDEX "intent_canceled" ON "gateway"."intent" USING btree ("deployment_id","ended_at") WHERE "gateway"."intent"."ended_as" = 'CANCELED';--> statement-breakpoint
CREATE INDEX "intent_canceled_by_merchant" ON "gateway"."intent" USING btree ("created_at","deployment_id","id") WHERE "gateway"."intent"."ended_as" = 'CANCELED' and "gateway"."intent"."canceled_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "milestone_intent_id_milestone_index_merchant_id_index" ON "gateway"."milestone" USING btree ("intent_id","milestone_index","merchant_id");--> statement-breakpoint
CREATE INDEX "ledger_posting_deployment_id_block_index" ON "gateway"."ledger_posting" USING btree ("deployment_id","block");--> statement-breakpoint
CREATE INDEX "ledger_posting_lost" ON "gateway"."ledger_posting" USING btree ("deployment_id","intent_id") WHERE "gateway"."ledger_posting"."kind" = 'lost';--> statement-breakpoint
CREATE INDEX "api_key_merchant_id_index" ON "gateway"."api_key" USING btree ("merchant_id");--> statement-breakpoint
CREATE INDEX "provider_transfer_account_reference_index" ON "gateway"."provider_transfer" USING btree ("account","reference");--> statement-breakpoint
CREATE UNIQUE INDEX "operation_waiting" ON "gateway"."operation" USING btree ("subject","action") WHERE "gateway"."operation"."outcome" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "reconciliation_difference_kind_about_identity_index" ON "gateway"."reconciliation_difference" USING btree ("kind","about","identity");--> statement-breakpoint
CREATE INDEX "reconciliation_difference_last_seen_index" ON "gateway"."reconciliation_difference" USING btree ("last_seen");--> statement-breakpoint
CREATE UNIQUE INDEX "payout_reference_merchant_id_index" ON "gateway"."payout" USING btree ("reference","merchant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "payout_part_attempt" ON "gateway"."payout" USING btree ("intent_id","settlement_number","part","attempt","merchant_id");--> statement-breakpoint
CREATE INDEX "payout_settlement_block_index" ON "gateway"."payout" USING btree ("settlement_block");--> statement-breakpoint
CREATE INDEX "payout_due" ON "gateway"."payout" USING btree ("next_attempt_at") WHERE "gateway"."payout"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "payout_updated_at_index" ON "gateway"."payout" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "payout_merchant_id_mode_created_at_id_index" ON "gateway"."payout" USING btree ("merchant_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "payout_account_created_at_index" ON "gateway"."payout" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "payout_admitted_merchant" ON "gateway"."payout" USING btree ("merchant_id","admitted_at") WHERE "gateway"."payout"."admitted_at" is not null;--> statement-breakpoint
CREATE INDEX "payout_admitted_account" ON "gateway"."payout" USING btree ("account","admitted_at") WHERE "gateway"."payout"."admitted_at" is not null;--> statement-breakpoint
CREATE INDEX "payout_unretried" ON "gateway"."payout" USING btree ("id") WHERE "gateway"."payout"."state" in ('failed', 'returned') and not "gateway"."payout"."retried";--> statement-breakpoint
CREATE INDEX "payout_waiting" ON "gateway"."payout" USING btree ("settled_at","id") WHERE "gateway"."payout"."state" in ('created', 'quarantined') or "gateway"."payout"."awaits_funds";--> statement-breakpoint
CREATE INDEX "payout_failed" ON "gateway"."payout" USING btree ("intent_id") WHERE "gateway"."payout"."state" in ('failed', 'returned');--> statement-breakpoint
CREATE INDEX "reconciliation_balance_of_run" ON "gateway"."reconciliation_balance" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "reconciliation_balance_differs" ON "gateway"."reconciliation_balance" USING btree ("run_id","merchant_id") WHERE "gateway"."reconciliation_balance"."amount" <> 0;--> statement-breakpoint
CREATE UNIQUE INDEX "reconciliation_finding_run_id_kind_about_identity_index" ON "gateway"."reconciliation_finding" USING btree ("run_id","kind","about","identity");--> statement-breakpoint
CREATE INDEX "reconciliation_finding_run_id_id_index" ON "gateway"."reconciliation_finding" USING btree ("run_id","id");--> statement-breakpoint
CREATE INDEX "reconciliation_run_name_index" ON "gateway"."reconciliation_run" USING btree ("name");--> statement-breakpoint
CREATE INDEX "reconciliation_run_created_at_index" ON "gateway"."reconciliation_run" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "reconciliation_created_at_index" ON "gateway"."reconciliation" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "reconciliation_without_differences" ON "gateway"."reconciliation" USING btree ("created_at") WHERE "gateway"."reconciliation"."full" and "gateway"."reconciliation"."differences" = '{}';--> statement-breakpoint
CREATE INDEX "idempotency_key_created_at_index" ON "gateway"."idempotency_key" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "rate_limit_expire_index" ON "gateway"."rate_limit" USING btree ("expire");--> statement-breakpoint
CREATE INDEX "request_log_merchant_id_mode_created_at_id_index" ON "gateway"."request_log" USING btree ("merchant_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "reported_transaction_created_at_index" ON "gateway"."reported_transaction" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "transaction_deployment_id_signer_nonce_index" ON "gateway"."transaction" USING btree ("deployment_id","signer","nonce");--> statement-breakpoint
CREATE INDEX "transaction_open" ON "gateway"."transaction" USING btree ("deployment_id","created_at") WHERE "gateway"."transaction"."open";--> statement-breakpoint
CREATE INDEX "transaction_attempt_transaction_id_created_at_index" ON "gateway"."transaction_attempt" USING btree ("transaction_id","created_at");--> statement-breakpoint
CREATE INDEX "transaction_order_order_id_purpose_index" ON "gateway"."transaction_order" USING btree ("order_id","purpose");--> statement-breakpoint
CREATE INDEX "dashboard_account_user_id_index" ON "gateway"."dashboard_account" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "dashboard_rate_limit_last_request_index" ON "gateway"."dashboard_rate_limit" USING btree ("last_request");--> statement-breakpoint
CREATE INDEX "dashboard_session_user_id_index" ON "gateway"."dashboard_session" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "dashboard_session_expires_at_index" ON "gateway"."dashboard_session" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "dashboard_user_merchant_id_index" ON "gateway"."dashboard_user" USING btree ("merchant_id");--> statement-breakpoint
CREATE INDEX "dashboard_verification_identifier_index" ON "gateway"."dashboard_verification" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "dashboard_verification_value_index" ON "gateway"."dashboard_verification" USING btree ("value");--> statement-breakpoint
CREATE INDEX "dashboard_verification_expires_at_index" ON "gateway"."dashboard_verification" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "webhook_attempt_delivery_id_created_at_index" ON "gateway"."webhook_attempt" USING btree ("delivery_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_attempt_merchant_id_created_at_index" ON "gateway"."webhook_attempt" USING btree ("merchant_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_delivery_due" ON "gateway"."webhook_delivery" USING btree ("endpoint_id","next_attempt_at","event_id") WHERE "gateway"."webhook_delivery"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_delivery_of_intent" ON "gateway"."webhook_delivery" USING btree ("endpoint_id","intent_id","sequence") WHERE "gateway"."webhook_delivery"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_delivery_failed" ON "gateway"."webhook_delivery" USING btree ("created_at") WHERE "gateway"."webhook_delivery"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "webhook_delivery_endpoint_id_event_id_index" ON "gateway"."webhook_delivery" USING btree ("endpoint_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_endpoint_merchant_id_mode_created_at_index" ON "gateway"."webhook_endpoint" USING btree ("merchant_id","mode","created_at");--> statement-breakpoint
CREATE INDEX "tracked_order_block" ON "gateway"."tracked_order" USING btree ("deployment_id","block");--> statement-breakpoint
CREATE INDEX "work_item_due" ON "gateway"."work_item" USING btree ("deployment_id","purpose","clock","due");--> statement-breakpoint
CREATE INDEX "work_item_shown" ON "gateway"."work_item" USING btree ("merchant_id","purpose","due") WHERE "gateway"."work_item"."purpose" in ('settle', 'resolve_expired_dispute');--> statement-breakpoint
CREATE INDEX "work_item_failing" ON "gateway"."work_item" USING btree ("deployment_id","clock","purpose") WHERE "gateway"."work_item"."attempts" > 0;--> statement-breakpoint
-- What follows drizzle-kit cannot express.
--
-- A row's next version finds room on its page: claiming a payout touches no index.
ALTER TABLE "gateway"."payout" SET (fillfactor = 50);--> statement-breakpoint
-- On the same page a row's next version is written as what differs.
ALTER TABLE "gateway"."intent" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "gateway"."transaction" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "gateway"."webhook_delivery" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "gateway"."work_item" SET (fillfactor = 50);--> statement-breakpoint
-- Audit log, events and ledger are append-only for every role, their owner included; archived rows of the log can be
-- deleted.
CREATE FUNCTION "gateway"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is append-only: % is refused.', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;--> statement-breakpoint
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "gateway"."ledger_posting" FOR EACH ROW EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only_truncate" BEFORE TRUNCATE ON "gateway"."ledger_posting" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "gateway"."event" FOR EACH ROW EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only_truncate" BEFORE TRUNCATE ON "gateway"."event" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
-- A segment is what the seals say that it is: the seals that follow the segment before, without gaps, each row in place.
-- The last seal never belongs to one, because the next seal follows it. A leaf has 38 bytes.
CREATE FUNCTION "gateway"."check_audit_archive"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
	"before" record;
	"sealed" record;
BEGIN
	SELECT a."last_position", a."hash" INTO "before" FROM "gateway"."audit_archive" a ORDER BY a."last_position" DESC LIMIT 1;
	SELECT count(*) AS "seals", sum(octet_length(s."leaves") / 38) AS "rows", min(s."first_position") AS "first_position",
		max(s."last_position") AS "last_position" INTO "sealed"
	FROM "gateway"."audit_seal" s WHERE s."first_position" BETWEEN NEW."first_position" AND NEW."last_position";
	IF NEW."first_position" <> coalesce("before"."last_position", 0) + 1
		OR NEW."previous_hash" <> coalesce("before"."hash", decode(repeat('0', 64), 'hex'))
		OR ("sealed"."first_position", "sealed"."last_position") IS DISTINCT FROM (NEW."first_position", NEW."last_position")
		OR ("sealed"."seals", "sealed"."rows") IS DISTINCT FROM (NEW."seals"::bigint, NEW."rows"::bigint)
		OR NEW."rows" <> (SELECT count(*) FROM "gateway"."audit_log" l
			WHERE l."position" BETWEEN NEW."first_position" AND NEW."last_position")
			+ (SELECT count(*) FROM "gateway"."event" e
			WHERE e."position" BETWEEN NEW."first_position" AND NEW."last_position")
		OR NOT EXISTS (SELECT FROM "gateway"."audit_seal" s
			WHERE s."first_position" = NEW."first_position" AND s."previous_hash" = NEW."previous_hash")
		OR NOT EXISTS (SELECT FROM "gateway"."audit_seal" s
			WHERE s."first_position" = NEW."last_position" + 1 AND s."previous_hash" = NEW."hash")
	THEN
		RAISE EXCEPTION 'The segment % to % is not what was sealed.', NEW."first_position", NEW."last_position"
			USING ERRCODE = 'check_violation';
	END IF;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "check" BEFORE INSERT ON "gateway"."audit_archive" FOR EACH ROW EXECUTE FUNCTION "gateway"."check_audit_archive"();--> statement-breakpoint
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "gateway"."audit_archive" FOR EACH ROW EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only_truncate" BEFORE TRUNCATE ON "gateway"."audit_archive" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
-- Of the log and its seals only what a segment names can be deleted.
CREATE FUNCTION "gateway"."refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
	"place" bigint;
BEGIN
	IF TG_OP = 'DELETE' THEN
		IF TG_TABLE_NAME = 'audit_log' THEN "place" := OLD."position"; ELSE "place" := OLD."last_position"; END IF;
		IF "place" <= (SELECT max(a."last_position") FROM "gateway"."audit_archive" a) THEN RETURN OLD; END IF;
	END IF;
	RAISE EXCEPTION '% is append-only: % is refused.', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;--> statement-breakpoint
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "gateway"."audit_log" FOR EACH ROW EXECUTE FUNCTION "gateway"."refuse_audit_change"();--> statement-breakpoint
CREATE TRIGGER "append_only_truncate" BEFORE TRUNCATE ON "gateway"."audit_log" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "gateway"."audit_seal" FOR EACH ROW EXECUTE FUNCTION "gateway"."refuse_audit_change"();--> statement-breakpoint
CREATE TRIGGER "append_only_truncate" BEFORE TRUNCATE ON "gateway"."audit_seal" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
-- Every change of an API key notifies the processes that cache it (api/access/listen-for-keys.ts).
CREATE FUNCTION "gateway"."notify_api_key_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gateway_api_key', '');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "api_key_changed"
  AFTER DELETE OR UPDATE OF "hash", "merchant_id", "mode", "access", "expires_at", "revoked_at"
  ON "gateway"."api_key" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."notify_api_key_changed"();--> statement-breakpoint
-- Lists of payouts go by merchant and time, so a trigger sets a payout's merchant to its intent's.
CREATE FUNCTION "gateway"."set_payout_merchant"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	SELECT i."merchant_id", i."mode" INTO NEW."merchant_id", NEW."mode" FROM "gateway"."intent" i WHERE i."id" = NEW."intent_id";
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "set_merchant" BEFORE INSERT ON "gateway"."payout" FOR EACH ROW EXECUTE FUNCTION "gateway"."set_payout_merchant"();--> statement-breakpoint
-- A trigger sets a posting's deployment, merchant, mode and currency to its intent's: none can be between two
-- merchants or two currencies. What was delivered, and network fees, have currencies of their own, and accounts of
-- their own.
CREATE FUNCTION "gateway"."set_posting_merchant"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	SELECT i."deployment_id", i."merchant_id", i."mode",
		CASE WHEN NEW."kind" IN ('delivered', 'network_fee') THEN NEW."currency" ELSE i."currency" END
	INTO NEW."deployment_id", NEW."merchant_id", NEW."mode", NEW."currency"
	FROM "gateway"."intent" i WHERE i."id" = NEW."intent_id";
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "set_merchant" BEFORE INSERT ON "gateway"."ledger_posting" FOR EACH ROW EXECUTE FUNCTION "gateway"."set_posting_merchant"();--> statement-breakpoint
-- The balances follow the postings in their transaction, by the rights of the tables' owner. A missing row is inserted
-- first, empty: whether an account is overdrawn depends on its new balance, not on what is taken from it. Rows are updated
-- one by one in the order of the key, so that two transactions never wait for each other. Locking them first would write
-- a record to the WAL for each row.
CREATE FUNCTION "gateway"."update_balances"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
	m record;
BEGIN
	FOR m IN
		SELECT p."deployment_id", p."merchant_id", p."mode", p."currency", a."account", sum(a."amount") AS "amount"
		FROM "posted" p
		CROSS JOIN LATERAL (VALUES (p."from_account", -p."amount"), (p."to_account", p."amount")) a ("account", "amount")
		GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
	LOOP
		LOOP
			UPDATE "gateway"."ledger_balance" b SET "amount" = b."amount" + m."amount"
			WHERE (b."deployment_id", b."merchant_id", b."mode", b."currency", b."account")
				= (m."deployment_id", m."merchant_id", m."mode", m."currency", m."account");
			EXIT WHEN FOUND;
			INSERT INTO "gateway"."ledger_balance" ("deployment_id", "merchant_id", "mode", "currency", "account", "amount")
			VALUES (m."deployment_id", m."merchant_id", m."mode", m."currency", m."account", 0)
			ON CONFLICT DO NOTHING;
		END LOOP;
	END LOOP;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "balance" AFTER INSERT ON "gateway"."ledger_posting" REFERENCING NEW TABLE AS "posted" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."update_balances"();--> statement-breakpoint
CREATE TRIGGER "only_by_postings" BEFORE INSERT OR UPDATE OR DELETE ON "gateway"."ledger_balance" FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "only_by_postings_truncate" BEFORE TRUNCATE ON "gateway"."ledger_balance" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."refuse_change"();--> statement-breakpoint
-- What happens off chain makes the intent due to be observed in the same transaction. Changes on
-- chain are found by settlement/runtime/track-orders.ts. Items are locked in one order for everybody.
-- Makes an item due, or moves the existing one. Most items exist: an update writes less to the WAL than an insert that
-- finds a conflict, which locks the row first. The insert waits for a concurrent one, and is followed by an update.
CREATE FUNCTION "gateway"."schedule_item"("deployment" int, "merchant" bytea, "about" bytea, "what" text, "by" text, "at" bigint, "from_chain" boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    UPDATE gateway.work_item w SET clock = "by", due = "at", leased_until = NULL, derived = w.derived AND "from_chain",
      revision = w.revision + 1, attempts = 0, last_error = NULL
    WHERE w.order_id = "about" AND w.purpose = "what" AND w.merchant_id = "merchant";
    EXIT WHEN FOUND;
    INSERT INTO gateway.work_item (deployment_id, merchant_id, order_id, purpose, clock, due, derived)
    VALUES ("deployment", "merchant", "about", "what", "by", "at", "from_chain")
    ON CONFLICT (order_id, purpose, merchant_id) DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
END $$;--> statement-breakpoint
CREATE FUNCTION "gateway"."schedule_items"("deployment" int, items json, "from_chain" boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  k record;
BEGIN
  FOR k IN
    SELECT * FROM json_to_recordset(items) AS i ("orderId" bytea, "merchantId" bytea, purpose text, clock text, due bigint)
    ORDER BY i."orderId", i.purpose
  LOOP
    PERFORM gateway.schedule_item("deployment", k."merchantId", k."orderId", k.purpose, k.clock, k.due, "from_chain");
  END LOOP;
END $$;--> statement-breakpoint
-- Makes items of orders due. Here most items are missing, so that one statement inserts them all, or moves those that exist.
CREATE FUNCTION "gateway"."schedule_work"(order_ids bytea[], what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO gateway.work_item AS w (deployment_id, merchant_id, order_id, purpose, clock, due, derived)
  SELECT i.deployment_id, i.merchant_id, i.id, what, 'wall', 0, false
  FROM gateway.intent i WHERE i.id = ANY (order_ids) ORDER BY i.id
  ON CONFLICT (order_id, purpose, merchant_id) DO UPDATE SET clock = 'wall', due = 0, leased_until = NULL, derived = false,
    revision = w.revision + 1, attempts = 0, last_error = NULL;
END $$;--> statement-breakpoint
-- Stores the outcomes of claimed items, one by one in the order in which every writer locks items. Without a lock in
-- advance, which would write a record to the WAL for each item.
CREATE FUNCTION "gateway"."finish_work"(outcomes json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  k record;
BEGIN
  FOR k IN
    SELECT * FROM json_to_recordset(outcomes) AS o ("orderId" bytea, "merchantId" bytea, purpose text, revision int,
      attempts int, done boolean, clock text, due bigint, "delayMs" bigint, "lastError" text)
    ORDER BY o."orderId", o.purpose
  LOOP
    IF k.done THEN
      DELETE FROM gateway.work_item w
      WHERE w.order_id = k."orderId" AND w.purpose = k.purpose AND w.merchant_id = k."merchantId" AND w.revision = k.revision;
    ELSE
      UPDATE gateway.work_item w SET clock = k.clock, leased_until = NULL, attempts = k.attempts, last_error = k."lastError",
        due = greatest(k.due, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + k."delayMs")
      WHERE w.order_id = k."orderId" AND w.purpose = k.purpose AND w.merchant_id = k."merchantId" AND w.revision = k.revision;
    END IF;
  END LOOP;
END $$;--> statement-breakpoint
-- An intent ends with the event of its last status; a reorg can undo that.
CREATE FUNCTION "gateway"."set_end"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.ended_as := CASE WHEN NEW.last_emitted_status IN ('FINAL', 'CANCELED') THEN NEW.last_emitted_status END;
  NEW.ended_at := CASE WHEN NEW.ended_as IS NOT NULL THEN clock_timestamp() END;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "set_end_of_new" BEFORE INSERT ON "gateway"."intent" FOR EACH ROW
  WHEN (NEW.last_emitted_status IN ('FINAL', 'CANCELED')) EXECUTE FUNCTION "gateway"."set_end"();--> statement-breakpoint
CREATE TRIGGER "set_end" BEFORE UPDATE ON "gateway"."intent" FOR EACH ROW
  WHEN (NEW.last_emitted_status IS DISTINCT FROM OLD.last_emitted_status) EXECUTE FUNCTION "gateway"."set_end"();--> statement-breakpoint
CREATE FUNCTION "gateway"."follow_new_intents"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  -- Each expires if nobody funds it. The funding deadline is in bytes 188 to 192 of the packed terms.
  INSERT INTO gateway.work_item (deployment_id, merchant_id, order_id, purpose, clock, due)
  SELECT deployment_id, merchant_id, id, 'observe',
    CASE WHEN canceled_at IS NULL THEN 'time' ELSE 'wall' END,
    CASE WHEN canceled_at IS NULL THEN ('x' || encode(substring(terms FROM 188 FOR 5), 'hex'))::bit(40)::bigint + 1 ELSE 0 END
  FROM made ORDER BY id
  ON CONFLICT DO NOTHING;
  INSERT INTO gateway.intent_by_status (merchant_id, mode, merchant_status, status, created_at, intent_id)
  SELECT merchant_id, mode, last_emitted_merchant_status, last_emitted_status, created_at, id FROM made
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint
-- A trigger for each statement: intents are made many at a time.
CREATE TRIGGER "follow_new" AFTER INSERT ON "gateway"."intent" REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."follow_new_intents"();--> statement-breakpoint
-- A row of a list has the statuses of its intent. Only these triggers write to the table. The row of an intent without
-- one is inserted.
CREATE FUNCTION "gateway"."follow_statuses"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
	"changed" bigint;
	"written" bigint;
BEGIN
	-- A full join as in follow_payouts.
	SELECT count(*) INTO "changed" FROM new_rows n FULL JOIN old_rows b ON b.id = n.id
	WHERE (n.last_emitted_merchant_status, n.last_emitted_status)
		IS DISTINCT FROM (b.last_emitted_merchant_status, b.last_emitted_status);
	IF "changed" = 0 THEN
		RETURN NULL;
	END IF;
	UPDATE gateway.intent_by_status s SET merchant_status = c.merchant_status, status = c.status
	FROM (
		SELECT b.merchant_id, b.mode, b.created_at, b.id,
			b.last_emitted_merchant_status AS old_merchant_status, b.last_emitted_status AS old_status,
			n.last_emitted_merchant_status AS merchant_status, n.last_emitted_status AS status
		FROM new_rows n FULL JOIN old_rows b ON b.id = n.id
		WHERE (n.last_emitted_merchant_status, n.last_emitted_status)
			IS DISTINCT FROM (b.last_emitted_merchant_status, b.last_emitted_status) OFFSET 0
	) c
	WHERE (s.merchant_id, s.mode, s.merchant_status, s.status, s.created_at, s.intent_id)
		= (c.merchant_id, c.mode, c.old_merchant_status, c.old_status, c.created_at, c.id);
	GET DIAGNOSTICS "written" = ROW_COUNT;
	IF "written" <> "changed" THEN
		INSERT INTO gateway.intent_by_status (merchant_id, mode, merchant_status, status, created_at, intent_id)
		SELECT merchant_id, mode, last_emitted_merchant_status, last_emitted_status, created_at, id FROM new_rows
		ON CONFLICT DO NOTHING;
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "gateway"."follow_deleted_intents"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
	DELETE FROM gateway.intent_by_status s USING old_rows b
	WHERE (s.merchant_id, s.mode, s.merchant_status, s.status, s.created_at, s.intent_id)
		= (b.merchant_id, b.mode, b.last_emitted_merchant_status, b.last_emitted_status, b.created_at, b.id);
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "follow_deleted" AFTER DELETE ON "gateway"."intent"
  REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."follow_deleted_intents"();--> statement-breakpoint
CREATE TRIGGER "follow_statuses" AFTER UPDATE ON "gateway"."intent"
  REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."follow_statuses"();--> statement-breakpoint
CREATE FUNCTION "gateway"."observe_intent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM gateway.schedule_work(ARRAY[NEW.id], 'observe');
  -- Its order may have been funded while it was canceled.
  IF OLD.canceled_at IS DISTINCT FROM NEW.canceled_at THEN
    PERFORM gateway.schedule_work(ARRAY[NEW.id], 'return_late_funding');
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "observe" AFTER UPDATE OF "payer", "canceled_at" ON "gateway"."intent" FOR EACH ROW
  WHEN (OLD.payer IS DISTINCT FROM NEW.payer OR OLD.canceled_at IS DISTINCT FROM NEW.canceled_at)
  EXECUTE FUNCTION "gateway"."observe_intent"();--> statement-breakpoint
CREATE FUNCTION "gateway"."observe_transaction_order"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM gateway.schedule_work(ARRAY[NEW.order_id], 'observe');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "observe" AFTER INSERT ON "gateway"."transaction_order" FOR EACH ROW
  WHEN (NEW.purpose = 'create_order') EXECUTE FUNCTION "gateway"."observe_transaction_order"();--> statement-breakpoint
CREATE FUNCTION "gateway"."observe_transactions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A full join as in follow_payouts.
  PERFORM gateway.schedule_work(ARRAY(
    SELECT o.order_id FROM (
      SELECT n.id FROM new_rows n FULL JOIN old_rows b ON b.id = n.id
      WHERE n.purpose = 'create_order' AND (n.state, n.succeeded, n.mined_hash) IS DISTINCT FROM (b.state, b.succeeded, b.mined_hash) OFFSET 0
    ) c JOIN gateway.transaction_order o ON o.transaction_id = c.id), 'observe');
  -- What a transaction has cost is reversed when no block contains it any more. The poster finds a final one by itself.
  PERFORM gateway.schedule_work(ARRAY(
    SELECT o.order_id FROM (
      SELECT n.id FROM new_rows n FULL JOIN old_rows b ON b.id = n.id
      WHERE b.state IN ('mined', 'final') AND n.state IN ('pending', 'dropped') OFFSET 0
    ) c JOIN gateway.transaction_order o ON o.transaction_id = c.id), 'post_ledger');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "observe" AFTER UPDATE ON "gateway"."transaction"
  REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."observe_transactions"();--> statement-breakpoint
-- The fee of a transaction that is final again must be posted again.
CREATE FUNCTION "gateway"."reset_fee"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.fee_posted := false;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "reset_fee" BEFORE UPDATE ON "gateway"."transaction" FOR EACH ROW
  WHEN (OLD.state = 'final' AND (NEW.state, NEW.mined_hash, NEW.network_fee) IS DISTINCT FROM (OLD.state, OLD.mined_hash, OLD.network_fee))
  EXECUTE FUNCTION "gateway"."reset_fee"();--> statement-breakpoint
-- Stores the outcomes of transactions whose state is as it was read, one by one: a lock in advance would write a record to the
-- WAL for each. The order is that of the work items that the trigger of each update schedules, in which every writer locks items.
CREATE FUNCTION "gateway"."write_outcomes"(outcomes json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  k record;
BEGIN
  FOR k IN
    SELECT * FROM json_to_recordset(outcomes) AS o (id uuid, was text, state text, succeeded boolean, "blockNumber" bigint,
      "blockHash" bytea, "minedHash" bytea, "networkFee" numeric)
    ORDER BY (SELECT min(t.order_id) FROM gateway.transaction_order t WHERE t.transaction_id = o.id) NULLS FIRST, o.id
  LOOP
    UPDATE gateway.transaction t SET state = k.state, succeeded = k.succeeded, block_number = k."blockNumber",
      block_hash = k."blockHash", mined_hash = k."minedHash", network_fee = k."networkFee", updated_at = clock_timestamp()
    WHERE t.id = k.id AND t.state = k.was;
  END LOOP;
END $$;--> statement-breakpoint
-- Records that fees are posted, and returns the transactions. Those that have changed since they were read are left out.
CREATE FUNCTION "gateway"."mark_fees_posted"(posted json) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
  k record;
BEGIN
  FOR k IN SELECT * FROM json_to_recordset(posted) AS p (id uuid, version timestamptz) ORDER BY p.id LOOP
    UPDATE gateway.transaction t SET fee_posted = true WHERE t.id = k.id AND t.updated_at = k.version AND t.state = 'final';
    IF FOUND THEN
      RETURN NEXT k.id;
    END IF;
  END LOOP;
END $$;--> statement-breakpoint
CREATE FUNCTION "gateway"."observe_reported_transaction"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM gateway.schedule_work(
    ARRAY[CASE TG_OP WHEN 'DELETE' THEN OLD.intent_id ELSE NEW.intent_id END], 'observe');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "observe" AFTER INSERT OR UPDATE OR DELETE ON "gateway"."reported_transaction" FOR EACH ROW
  EXECUTE FUNCTION "gateway"."observe_reported_transaction"();--> statement-breakpoint
-- A payout's states enter the audit log in the transaction that changes them, its order is observed again, and the payout is
-- in the list of unposted ones while it is unposted. Only this trigger writes to that list, which is why it has its owner's
-- rights. A trigger for each statement: one for each row takes twice as long.
CREATE FUNCTION "gateway"."follow_payouts"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
	orders bytea[];
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO "gateway"."audit_log"
			("id", "merchant_id", "mode", "actor_type", "action", "intent_id", "resource_id", "to_status", "metadata")
		SELECT uuidv7(), i."merchant_id", i."mode", 'system', 'payout.' || n."state",
			i."id", 'payout_' || replace(n."id"::text, '-', ''), n."state", i."metadata"
		FROM "new_rows" n JOIN "gateway"."intent" i ON i."id" = n."intent_id";
		INSERT INTO "gateway"."unposted_payout" ("payout_id", "merchant_id", "intent_id")
		SELECT n."id", n."merchant_id", n."intent_id" FROM "new_rows" n
		WHERE n."state" IN ('completed', 'failed', 'returned') AND n."posted_state" IS DISTINCT FROM n."state"
		ON CONFLICT DO NOTHING;
		orders := ARRAY(SELECT DISTINCT n."intent_id" FROM "new_rows" n);
	ELSE
		-- PL/pgSQL caches the plan, possibly of a statement that changed one row. A full join rules out a nested loop. The
		-- last query sets next_attempt_at to null: after it a return window is over.
		WITH "changed" AS MATERIALIZED (
			SELECT n."id", n."merchant_id", n."intent_id", o."state" AS "from_state", n."state",
				n."state" IN ('completed', 'failed', 'returned') AND n."posted_state" IS DISTINCT FROM n."state" AS "unposted",
				n."state" IS DISTINCT FROM o."state" OR n."final_at" IS DISTINCT FROM o."final_at"
					OR (n."next_attempt_at" IS NULL) <> (o."next_attempt_at" IS NULL) AS "shown"
			FROM "new_rows" n FULL JOIN "old_rows" o ON o."id" = n."id"
			WHERE n."state" IS DISTINCT FROM o."state" OR n."final_at" IS DISTINCT FROM o."final_at"
				OR (n."next_attempt_at" IS NULL) <> (o."next_attempt_at" IS NULL)
				OR n."posted_state" IS DISTINCT FROM o."posted_state"
		), "audited" AS (
			INSERT INTO "gateway"."audit_log"
				("id", "merchant_id", "mode", "actor_type", "action", "intent_id", "resource_id", "from_status", "to_status", "metadata")
			SELECT uuidv7(), i."merchant_id", i."mode", 'system', 'payout.' || c."state",
				i."id", 'payout_' || replace(c."id"::text, '-', ''), c."from_state", c."state", i."metadata"
			FROM "changed" c JOIN "gateway"."intent" i ON i."id" = c."intent_id" WHERE c."state" IS DISTINCT FROM c."from_state"
		), "listed" AS (
			INSERT INTO "gateway"."unposted_payout" ("payout_id", "merchant_id", "intent_id")
			SELECT c."id", c."merchant_id", c."intent_id" FROM "changed" c WHERE c."unposted" ON CONFLICT DO NOTHING
		), "unlisted" AS (
			DELETE FROM "gateway"."unposted_payout" u USING "changed" c
			WHERE NOT c."unposted" AND (u."payout_id", u."merchant_id") = (c."id", c."merchant_id")
		)
		SELECT array_agg(DISTINCT c."intent_id") INTO orders FROM "changed" c WHERE c."shown";
	END IF;
	IF orders IS NOT NULL THEN
		PERFORM gateway.schedule_work(orders, 'observe');
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "follow_new" AFTER INSERT ON "gateway"."payout"
	REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."follow_payouts"();--> statement-breakpoint
CREATE TRIGGER "follow" AFTER UPDATE ON "gateway"."payout"
	REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "gateway"."follow_payouts"();--> statement-breakpoint
-- The role of the processes that serve (docs/audit-log.md). Roles belong to the server, so another database on it may
-- have created this one; an owner who may not create roles has it created by hand and grants the same.
DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gateway_app') THEN CREATE ROLE "gateway_app" NOLOGIN; END IF;
EXCEPTION
	WHEN duplicate_object OR unique_violation THEN NULL;
	WHEN insufficient_privilege THEN RAISE NOTICE 'The role gateway_app could not be created.';
END $$;--> statement-breakpoint
DO $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gateway_app') THEN RETURN; END IF;
	GRANT USAGE ON SCHEMA "gateway" TO "gateway_app";
	GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "gateway" TO "gateway_app";
	GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA "gateway" TO "gateway_app";
	REVOKE UPDATE, DELETE ON "gateway"."audit_log", "gateway"."audit_seal", "gateway"."event", "gateway"."ledger_posting" FROM "gateway_app";
	REVOKE INSERT, UPDATE, DELETE ON "gateway"."ledger_balance", "gateway"."audit_archive", "gateway"."intent_by_status",
		"gateway"."unposted_payout" FROM "gateway_app";
	-- Tables of later migrations, and the indexer's views.
	ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO "gateway_app";
	ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO "gateway_app";
	ALTER DEFAULT PRIVILEGES GRANT USAGE, SELECT ON SEQUENCES TO "gateway_app";
END $$;
