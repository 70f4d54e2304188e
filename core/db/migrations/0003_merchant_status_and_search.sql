CREATE TABLE "gateway"."search_term" (
	"merchant_id" text NOT NULL,
	"term" text collate "C" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"intent_id" "bytea" NOT NULL,
	CONSTRAINT "search_term_merchant_id_term_created_at_intent_id_pk" PRIMARY KEY("merchant_id","term","created_at","intent_id")
);
--> statement-breakpoint
DROP INDEX "gateway"."intent_merchant_id_mode_last_emitted_status_created_at_id_index";--> statement-breakpoint
ALTER TABLE "gateway"."intent" ADD COLUMN "last_emitted_merchant_status" text DEFAULT 'AWAITING_PAYMENT' NOT NULL;--> statement-breakpoint
CREATE INDEX "intent_statuses" ON "gateway"."intent" USING btree ("merchant_id","mode","last_emitted_merchant_status","last_emitted_status","created_at","id");--> statement-breakpoint
-- An order says more than its last event's status: its next event corrects what stands here.
UPDATE "gateway"."intent" SET "last_emitted_merchant_status" = CASE "last_emitted_status"
	WHEN 'PROCESSING' THEN 'CONFIRMING' WHEN 'SUCCEEDED' THEN 'IN_ESCROW' WHEN 'SETTLED' THEN 'PAID_OUT' WHEN 'FINAL' THEN 'FINAL'
	WHEN 'CANCELED' THEN 'CANCELED' WHEN 'REQUIRES_ACTION' THEN 'NEEDS_ACTION' ELSE 'AWAITING_PAYMENT' END;--> statement-breakpoint
INSERT INTO "gateway"."search_term" ("merchant_id", "term", "created_at", "intent_id")
	SELECT i."merchant_id", left(w.word, 24), i."created_at", decode(substr(i."id", 8), 'hex')
	FROM "gateway"."intent" i, LATERAL (
		SELECT coalesce(i."description", '') AS said
		UNION ALL SELECT v.value FROM jsonb_each_text(i."metadata") v
			WHERE v.key NOT IN ('releaseType', 'timeLockUntil', 'autoRelease', 'tokenAddress', 'contractMerchantId')
		UNION ALL SELECT coalesce(i."signer", '')) t,
		LATERAL regexp_split_to_table(lower(t.said), '[^[:alnum:]]+') AS w (word)
	WHERE w.word <> '' ON CONFLICT DO NOTHING;
