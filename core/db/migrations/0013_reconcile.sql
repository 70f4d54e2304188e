ALTER TABLE "gateway"."reconciliation" ALTER COLUMN "differences" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."payout" ADD COLUMN "fee" numeric(40, 0) DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "reconciliation_created_at_index" ON "gateway"."reconciliation" USING btree ("created_at");