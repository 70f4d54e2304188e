CREATE TABLE "gateway"."milestone" (
	"id" text PRIMARY KEY NOT NULL,
	"intent_id" text NOT NULL,
	"milestone_index" integer NOT NULL,
	"description" text,
	"amount" numeric(40, 0) NOT NULL,
	"percentage" double precision,
	"completed_at" timestamp with time zone,
	"completed_by" text,
	"completion_proof" text,
	"completion_proof_uri" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "gateway"."milestone" ADD CONSTRAINT "milestone_intent_id_intent_id_fk" FOREIGN KEY ("intent_id") REFERENCES "gateway"."intent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "milestone_intent_id_milestone_index_index" ON "gateway"."milestone" USING btree ("intent_id","milestone_index");