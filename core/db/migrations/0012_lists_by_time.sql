DROP INDEX "gateway"."audit_log_merchant_id_mode_position_index";--> statement-breakpoint
DROP INDEX "gateway"."audit_log_merchant_id_mode_action_position_index";--> statement-breakpoint
DROP INDEX "gateway"."audit_log_intent_id_position_index";--> statement-breakpoint
DROP INDEX "gateway"."audit_log_created";--> statement-breakpoint
DROP INDEX "gateway"."event_merchant_id_mode_position_index";--> statement-breakpoint
DROP INDEX "gateway"."event_merchant_id_mode_type_position_index";--> statement-breakpoint
DROP INDEX "gateway"."event_created";--> statement-breakpoint
CREATE INDEX "audit_log_merchant_id_mode_created_at_position_index" ON "gateway"."audit_log" USING btree ("merchant_id","mode","created_at","position");--> statement-breakpoint
CREATE INDEX "audit_log_merchant_id_mode_action_created_at_position_index" ON "gateway"."audit_log" USING btree ("merchant_id","mode","action","created_at","position");--> statement-breakpoint
CREATE INDEX "audit_log_intent_id_created_at_index" ON "gateway"."audit_log" USING btree ("intent_id","created_at");--> statement-breakpoint
CREATE INDEX "event_merchant_id_mode_created_at_position_index" ON "gateway"."event" USING btree ("merchant_id","mode","created_at","position");--> statement-breakpoint
CREATE INDEX "event_merchant_id_mode_type_created_at_position_index" ON "gateway"."event" USING btree ("merchant_id","mode","type","created_at","position");