DROP INDEX "gateway"."payout_open";--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "next_look_at" timestamp with time zone DEFAULT clock_timestamp();--> statement-breakpoint
CREATE INDEX "intent_canceled" ON "gateway"."intent" USING btree ("deployment_id","updated_at") WHERE "gateway"."intent"."last_seen_status" = 'CANCELED';--> statement-breakpoint
CREATE INDEX "payout_due" ON "gateway"."payout" USING btree ("next_look_at") WHERE "gateway"."payout"."next_look_at" is not null;