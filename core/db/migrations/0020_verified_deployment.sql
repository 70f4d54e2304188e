ALTER TABLE "gateway"."deployment" ADD COLUMN "verified_hash" text;--> statement-breakpoint
ALTER TABLE "gateway"."deployment" ADD COLUMN "verified_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "gateway"."deployment" ADD COLUMN "verified_by" text;