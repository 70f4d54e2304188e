DROP INDEX "gateway"."event_metadata";--> statement-breakpoint
ALTER TABLE "gateway"."event" ALTER COLUMN "data" SET DATA TYPE "undefined"."bytea";--> statement-breakpoint
ALTER TABLE "gateway"."event" ADD COLUMN "metadata" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_attempt_merchant_id_created_at_index" ON "gateway"."webhook_attempt" USING btree ("merchant_id","created_at");--> statement-breakpoint
CREATE INDEX "event_metadata" ON "gateway"."event" USING gin ("metadata" jsonb_path_ops);