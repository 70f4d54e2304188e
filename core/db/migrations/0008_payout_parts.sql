DROP INDEX "gateway"."payout_intent_id_settlement_id_attempt_index";--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "part" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "payout_intent_id_settlement_id_part_attempt_index" ON "gateway"."payout" USING btree ("intent_id","settlement_id","part","attempt");