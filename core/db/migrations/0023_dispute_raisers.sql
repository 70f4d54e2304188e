CREATE TABLE "gateway"."dispute_raiser" (
	"intent_id" text NOT NULL,
	"side" integer NOT NULL,
	"raised_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "dispute_raiser_intent_id_side_pk" PRIMARY KEY("intent_id","side")
);
--> statement-breakpoint
ALTER TABLE "gateway"."dispute_raiser" ADD CONSTRAINT "dispute_raiser_intent_id_intent_id_fk" FOREIGN KEY ("intent_id") REFERENCES "gateway"."intent"("id") ON DELETE no action ON UPDATE no action;