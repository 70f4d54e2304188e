// The help of `npm run ops`.
export const HELP = `Shows stuck and permanently failed work, and retries it.

  npm run ops -- stuck [--older SECONDS]   transactions signed at least this long ago (60) that are not final
  npm run ops -- dead                      payouts that failed, are blocked, have an unknown state or hold funds that are not debited, abandoned webhooks, refused work, failed jobs
  npm run ops -- show INTENT_ID            everything that happened to one payment, oldest first
  npm run ops -- fees [--days NUMBER]      the gateway's gas costs (7 days), by purpose
  npm run ops -- retry INTENT_ID --by NAME   another attempt for each of its payouts that failed or was returned
  npm run ops -- work INTENT_ID --by NAME   retries the refused work of its order now, instead of when it is due
  npm run ops -- refresh PAYOUT_ID --by NAME   queries the provider for its state now, instead of when it is due
  npm run ops -- cancel PAYOUT_ID --by NAME   asks the provider to cancel a payout that it has accepted but not paid
  npm run ops -- reorder PAYOUT_ID --by NAME   orders a payout again if the provider neither responded to its call nor lists it; ask the provider first
  npm run ops -- rebroadcast TRANSACTION_ID --by NAME   sends every stored attempt of the transaction, and of those that it waits for, to the chain again
  npm run ops -- redeliver DELIVERY_ID --by NAME   sends a webhook again
  npm run ops -- settle-externally PAYOUT_ID --reference TEXT --amount AMOUNT --date DATE --by NAME   records a manual payment of what is owed and covered by the chain; 0.00 if that is nothing; --partial if a part was paid: the gateway then pays the rest
  npm run ops -- fail PAYOUT_ID --by NAME   ends a payout that its provider does not know, so that it can be retried or paid manually
  npm run ops -- allow PAYOUT_ID --by NAME   approves a payout that waits because an hourly limit was reached
  npm run ops -- confirm-debit PAYOUT_ID --reference TEXT --by NAME   frees the funds of a payout that its provider has debited without reporting it; the debiting transaction, or the provider's written confirmation
  npm run ops -- controls                  shows switches and limits
  npm run ops -- stop SWITCH --reason TEXT --by NAME   stops relaying, settling or payouts, in every replica within seconds
  npm run ops -- resume SWITCH --by NAME   resumes it
  npm run ops -- limit LIMIT --amount NUMBER --by NAME   approval, merchant_hour or account_hour, in whole currency units; or 'default'
  npm run ops -- differences               the differences that reconciliations have found, with numbers
  npm run ops -- acknowledge DIFFERENCE --reason TEXT --by NAME   marks it as known, so that it stays in the report but does not trigger an alert
  npm run ops -- operations                operations that wait for a second person
  npm run ops -- approve OPERATION --by NAME   executes an operation that another person requested
  npm run ops -- refuse OPERATION --by NAME    drops the operation
  npm run ops -- recover [--days NUMBER] [--head HASH] [--apply] [--by NAME] [--reason TEXT]   finds records missing from a database that lost its latest writes
  --json   prints JSON

settle-externally, fail, reorder, allow, confirm-debit, limit and acknowledge affect funds: above the limit \`approval\`, or if the amount is unknown, they
wait for a second person. stop and resume never wait. settle-externally, fail and reorder ask the provider first, and
are rejected while the provider may still pay. confirm-debit asks it as well, and is rejected unless it says nothing about the debit.

recover changes nothing without --apply, which needs --by and --reason. It reads the chain, and the providers' transfers of the last --days (7); --head is a previously
recorded head of the audit log (npm run audit verify). A payment whose order is not on chain is matched with transfers unless its funding
deadline was more than a day before these days. Run it while the API and settlement are stopped. It does not order any payouts; with
--apply it reconciles, and exits with 1 while there are differences.

Every change is in the audit log, with the actor "operations" and the name of the person. No command can pay twice: a payout is only
retried when the provider has confirmed that no funds arrived, and the provider is asked by reference before every order.
Uses the database of the running gateway (.data/local.json), or the one in DATABASE_URL; rebroadcast sends to the
same gateway's node, or to the one in RPC_URL; cancel, reorder, settle-externally, fail, confirm-debit, approve and recover also need
the roles' variables for the provider, and settle-externally those for the chain; retry needs OFF_RAMP_RETURN_FEE if the roles have it, because it determines the next
attempt's amount.`;
