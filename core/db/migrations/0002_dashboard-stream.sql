CREATE INDEX "webhook_attempt_merchant_id_created_at_index" ON "gateway"."webhook_attempt" USING btree ("merchant_id","created_at");
