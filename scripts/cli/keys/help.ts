// The help of `npm run keys`.
export const HELP = `Merchants, their API keys, and the users of their dashboard.

  npm run keys -- create [--merchant NAME] [--kind KIND] [--access ACCESS] [--name TEXT] [--expires TIME]
  npm run keys -- list [--merchant NAME]
  npm run keys -- rotate KEY_ID [--overlap TIME]    a new key; the old one stays valid for the overlap (24h)
  npm run keys -- revoke KEY_ID                     the key stops working immediately
  npm run keys -- merchants [list]
  npm run keys -- merchants create --name NAME --account 0x…
  npm run keys -- merchants update [--merchant NAME] [--logo URL] [--support EMAIL] [--return-hosts HOSTS]
  npm run keys -- users [list]
  npm run keys -- users create --email ADDRESS [--merchant NAME] [--name TEXT] [--role ROLE] [--live-merchant NAME]
  npm run keys -- users role --email ADDRESS --role ROLE
  npm run keys -- users link --email ADDRESS        creates a link to set this user's password, which works once, within a day
  npm run keys -- users password --email ADDRESS    generates a new password; ends every session of this user
  npm run keys -- users delete --email ADDRESS

  KIND     test (the default) or hackathon on a test network, live on a live one: a network rejects keys of the other kind
  ACCESS   full         everything (the default)
           no_release   everything except operations that let funds leave the escrow, or fulfill a condition for that: no delivery
                        proof, shipment, release, refund, completed milestone, dispute, resolution or retried payout
           read_only    retrieves and lists
  ROLE     admin        everything, including the team (the default)
           operator     payments: creates, ships, releases, refunds, answers disputes, retries payouts
           read_only    reads
  URL      https; EMAIL and URL may be shown to payers (GET /v1/account); an empty string removes them
  HOSTS    such as shop.example.com,pay.example.com:8443: the hosts allowed in returnUrl and cancelUrl
  TIME     such as 90s, 30m, 24h, 7d; 0 for immediately
  --live   the live network's merchants and keys, in the database LIVE_DATABASE_URL; its keys are of the kind live
  --json   prints JSON

Uses the database of the running gateway (.data/local.json), or the one in DATABASE_URL; for a gateway that is not running here,
GATEWAY_ENV and GATEWAY_MODE determine which keys its network accepts, as for its processes (live by default).
A key is only shown on creation: only its SHA-256 is stored. The same applies to a user's password, which is generated
(a new one with 'users password'). --live-merchant also gives a user access to live data: the merchant in LIVE_DATABASE_URL, by name or id.`;
