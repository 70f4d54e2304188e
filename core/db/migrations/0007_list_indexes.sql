DROP INDEX "gateway"."intent_merchant_id_created_at_id_index";--> statement-breakpoint
CREATE INDEX "audit_log_merchant_id_mode_action_position_index" ON "gateway"."audit_log" USING btree ("merchant_id","mode","action","position");--> statement-breakpoint
CREATE INDEX "audit_log_created" ON "gateway"."audit_log" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "event_merchant_id_mode_type_position_index" ON "gateway"."event" USING btree ("merchant_id","mode","type","position");--> statement-breakpoint
CREATE INDEX "event_created" ON "gateway"."event" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "event_metadata" ON "gateway"."event" USING gin (("data" -> 'object' -> 'metadata') jsonb_path_ops);--> statement-breakpoint
CREATE INDEX "intent_merchant_id_mode_created_at_id_index" ON "gateway"."intent" USING btree ("merchant_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "intent_merchant_id_mode_last_seen_status_created_at_id_index" ON "gateway"."intent" USING btree ("merchant_id","mode","last_seen_status","created_at","id");--> statement-breakpoint
CREATE INDEX "intent_merchant_id_mode_currency_created_at_id_index" ON "gateway"."intent" USING btree ("merchant_id","mode","currency","created_at","id");--> statement-breakpoint
CREATE INDEX "intent_metadata" ON "gateway"."intent" USING gin ("metadata" jsonb_path_ops);