CREATE TABLE "gateway"."request_log" (
	"id" text NOT NULL,
	"merchant_id" text NOT NULL,
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
ALTER TABLE "gateway"."dashboard_user" ADD COLUMN "role" text DEFAULT 'admin' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_user" ADD COLUMN "two_factor_enabled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."request_log" ADD CONSTRAINT "request_log_merchant_id_merchant_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "gateway"."merchant"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."dashboard_two_factor" ADD CONSTRAINT "dashboard_two_factor_user_id_dashboard_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "gateway"."dashboard_user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "request_log_merchant_id_mode_created_at_id_index" ON "gateway"."request_log" USING btree ("merchant_id","mode","created_at","id");--> statement-breakpoint
CREATE INDEX "request_log_created_at_index" ON "gateway"."request_log" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "dashboard_user_merchant_id_index" ON "gateway"."dashboard_user" USING btree ("merchant_id");--> statement-breakpoint
CREATE INDEX "dashboard_verification_identifier_index" ON "gateway"."dashboard_verification" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "dashboard_verification_value_index" ON "gateway"."dashboard_verification" USING btree ("value");--> statement-breakpoint
CREATE INDEX "dashboard_verification_expires_at_index" ON "gateway"."dashboard_verification" USING btree ("expires_at");