ALTER TABLE "gateway"."ledger_balance" DROP CONSTRAINT "ledger_balance_not_overdrawn";--> statement-breakpoint
-- destructive: the column is generated; the next statement computes the same values.
ALTER TABLE "gateway"."ledger_posting" drop column "from_account";--> statement-breakpoint
ALTER TABLE "gateway"."ledger_posting" ADD COLUMN "from_account" text GENERATED ALWAYS AS (case "kind" when 'funded' then case when "reversed" then 'custody' else 'payers' end when 'refunded' then case when "reversed" then 'returned' else 'custody' end when 'withdrawn' then case when "reversed" then 'withdrawn' else 'custody' end when 'settled' then case when "reversed" then 'in_transit' else 'custody' end when 'paid' then case when "reversed" then 'paid' else 'in_transit' end when 'paid_externally' then case when "reversed" then 'paid' else 'in_transit' end when 'fee' then case when "reversed" then 'fees' else 'in_transit' end when 'gas' then case when "reversed" then 'gas' else 'in_transit' end when 'delivered' then case when "reversed" then 'delivered' else 'converted' end when 'fee_covered' then case when "reversed" then 'in_transit' else 'covered' end when 'payout_returned' then case when "reversed" then 'in_transit' else 'paid' end when 'lost' then case when "reversed" then 'in_transit' else 'loss' end when 'network_fee' then case when "reversed" then 'network' else 'operator' end end) STORED NOT NULL;--> statement-breakpoint
-- destructive: the column is generated; the next statement computes the same values.
ALTER TABLE "gateway"."ledger_posting" drop column "to_account";--> statement-breakpoint
ALTER TABLE "gateway"."ledger_posting" ADD COLUMN "to_account" text GENERATED ALWAYS AS (case "kind" when 'funded' then case when "reversed" then 'payers' else 'custody' end when 'refunded' then case when "reversed" then 'custody' else 'returned' end when 'withdrawn' then case when "reversed" then 'custody' else 'withdrawn' end when 'settled' then case when "reversed" then 'custody' else 'in_transit' end when 'paid' then case when "reversed" then 'in_transit' else 'paid' end when 'paid_externally' then case when "reversed" then 'in_transit' else 'paid' end when 'fee' then case when "reversed" then 'in_transit' else 'fees' end when 'gas' then case when "reversed" then 'in_transit' else 'gas' end when 'delivered' then case when "reversed" then 'converted' else 'delivered' end when 'fee_covered' then case when "reversed" then 'covered' else 'in_transit' end when 'payout_returned' then case when "reversed" then 'paid' else 'in_transit' end when 'lost' then case when "reversed" then 'loss' else 'in_transit' end when 'network_fee' then case when "reversed" then 'operator' else 'network' end end) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway"."transaction" ADD COLUMN "network_fee" numeric(40, 0);--> statement-breakpoint
ALTER TABLE "gateway"."ledger_balance" ADD CONSTRAINT "ledger_balance_not_overdrawn" CHECK ("amount" >= 0 or "account" in ('payers', 'loss', 'covered', 'converted', 'operator'));--> statement-breakpoint
-- What was delivered, and network fees, have currencies of their own, and accounts of their own.
CREATE OR REPLACE FUNCTION "gateway"."set_posting_merchant"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	SELECT i."deployment_id", i."merchant_id", i."mode",
		CASE WHEN NEW."kind" IN ('delivered', 'network_fee') THEN NEW."currency" ELSE i."currency" END
	INTO NEW."deployment_id", NEW."merchant_id", NEW."mode", NEW."currency"
	FROM "gateway"."intent" i WHERE i."id" = NEW."intent_id";
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "gateway"."observe_transactions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A full join as in audit_payouts.
  PERFORM gateway.schedule_work(ARRAY(
    SELECT o.order_id FROM (
      SELECT n.id FROM new_rows n FULL JOIN old_rows b ON b.id = n.id
      WHERE n.purpose = 'create_order' AND (n.state, n.succeeded, n.mined_hash) IS DISTINCT FROM (b.state, b.succeeded, b.mined_hash) OFFSET 0
    ) c JOIN gateway.transaction_order o ON o.transaction_id = c.id), 'observe');
  -- What a transaction has cost is posted when it is final, and reversed when it is not so any more.
  PERFORM gateway.schedule_work(ARRAY(
    SELECT o.order_id FROM (
      SELECT n.id FROM new_rows n FULL JOIN old_rows b ON b.id = n.id
      WHERE (n.state = 'final' OR b.state = 'final')
        AND (n.state, n.mined_hash, n.network_fee) IS DISTINCT FROM (b.state, b.mined_hash, b.network_fee) OFFSET 0
    ) c JOIN gateway.transaction_order o ON o.transaction_id = c.id), 'post_ledger');
  RETURN NULL;
END $$;
