CREATE INDEX "intent_changed" ON "gateway"."intent" USING btree ("updated_at") WHERE "gateway"."intent"."last_seen_status" not in ('FINAL', 'CANCELED');--> statement-breakpoint
CREATE INDEX "intent_processing" ON "gateway"."intent" USING btree ("id") WHERE "gateway"."intent"."last_seen_status" = 'PROCESSING';--> statement-breakpoint
CREATE INDEX "payout_updated_at_index" ON "gateway"."payout" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "payout_final_at_index" ON "gateway"."payout" USING btree ("final_at");--> statement-breakpoint
CREATE INDEX "transaction_updated_at_index" ON "gateway"."transaction" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "transaction_hint_created_at_index" ON "gateway"."transaction_hint" USING btree ("created_at");