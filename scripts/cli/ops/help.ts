// The help of `npm run ops`.
export const HELP = `What is stuck, what has failed for good, and how to set it going again.

  npm run ops -- stuck [--older SECONDS]   transactions that are not final although they were signed so long ago (60)
  npm run ops -- dead                      payouts that failed, are blocked or are not known of, webhooks given up, refused work, failed jobs
  npm run ops -- show INTENT_ID            everything that happened to one payment, oldest first
  npm run ops -- fees [--days NUMBER]      what the gateway has paid for gas (7 days), by purpose
  npm run ops -- retry INTENT_ID --by NAME   another attempt for each of its payouts that failed or came back
  npm run ops -- work INTENT_ID --by NAME   what was refused for its order is tried now, and not when it is due
  npm run ops -- look PAYOUT_ID --by NAME   the provider is asked about it now, and not when it is due
  npm run ops -- cancel PAYOUT_ID --by NAME   calls back a payout that the provider has accepted and moved no money for
  npm run ops -- reorder PAYOUT_ID --by NAME   another call for a payout whose call the provider neither answers nor lists: ask it first
  npm run ops -- rebroadcast TRANSACTION_ID --by NAME   every stored attempt of it, and of those that it waits for, to the chain again
  npm run ops -- redeliver DELIVERY_ID --by NAME   a webhook is sent again
  npm run ops -- settle-externally PAYOUT_ID --reference TEXT --amount AMOUNT --date DATE --by NAME   it was paid by hand; 0.00 where fees of returns have left nothing
  npm run ops -- fail PAYOUT_ID --by NAME   ends a payout that its provider does not know: it may be retried or paid by hand
  npm run ops -- allow PAYOUT_ID --by NAME   approves a payout that waits because a limit of its hour was reached
  npm run ops -- controls                  switches and limits as they are
  npm run ops -- stop SWITCH --reason TEXT --by NAME   relaying, settling or payouts: every replica obeys within seconds
  npm run ops -- resume SWITCH --by NAME   it goes on
  npm run ops -- limit LIMIT --amount NUMBER --by NAME   approval, merchant_hour or account_hour, in whole currency units; or 'default'
  npm run ops -- differences               what reconciliations have found, with numbers
  npm run ops -- acknowledge DIFFERENCE --reason TEXT --by NAME   it is known: it stays in the report and leaves the alert
  npm run ops -- operations                what waits for a second person
  npm run ops -- approve OPERATION --by NAME   carries out what another person asked for
  npm run ops -- refuse OPERATION --by NAME    drops it
  npm run ops -- recover [--days NUMBER] [--head HASH] [--apply] [--by NAME] [--reason TEXT]   what a database lacks that lost its last writes
  --json   answers for programs

settle-externally, fail, reorder, allow, limit and acknowledge move or excuse money: above the limit \`approval\`, or where nobody knows the
amount, they wait for a second person. stop and resume never wait. settle-externally, fail and reorder ask the provider first, and
are refused while it may still pay.

recover changes nothing without --apply, which needs --by and --reason. It reads the chain, and the providers' transfers of the last --days (7); --head is a head of the audit log that was noted
before (npm run audit verify). Run it while API and settlement are stopped. It orders nothing; with --apply it reconciles, and ends with 1
while anything differs.

Every change is in the audit log, by the actor "operations" and the name of the person. Nothing here can pay twice: a payout is only tried again
when the provider has said that no money arrived, and it is asked by reference before every order.
The database is that of the running gateway (.data/local.json), or the one in DATABASE_URL; rebroadcast hands over to the
same gateway's node, or to the one in RPC_URL; cancel, reorder, settle-externally, fail, approve and recover need the roles' other variables as
well, for the provider's; retry needs OFF_RAMP_RETURN_FEE where the roles have it: it decides the next attempt's amount.`;
