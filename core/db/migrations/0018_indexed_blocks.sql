CREATE TABLE "gateway"."indexed_block" (
	"deployment_id" text NOT NULL,
	"number" bigint NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "indexed_block_deployment_id_number_pk" PRIMARY KEY("deployment_id","number")
);
--> statement-breakpoint
ALTER TABLE "gateway"."indexed_block" ADD CONSTRAINT "indexed_block_deployment_id_deployment_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "gateway"."deployment"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway"."deployment" DROP COLUMN "high_water_hash";