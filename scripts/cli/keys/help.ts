// The help of `npm run keys`.
export const HELP = `Merchants, their API keys, and the users of their dashboard.

  npm run keys -- create [--merchant NAME] [--kind KIND] [--access ACCESS] [--name TEXT] [--expires TIME]
  npm run keys -- list [--merchant NAME]
  npm run keys -- rotate KEY_ID [--overlap TIME]    a new key; the old one stays valid for the overlap (24h)
  npm run keys -- revoke KEY_ID                     the key opens nothing from now on
  npm run keys -- merchants [list]
  npm run keys -- merchants create --name NAME --account 0x…
  npm run keys -- merchants update [--merchant NAME] [--logo URL] [--support EMAIL] [--return-hosts HOSTS]
  npm run keys -- users [list]
  npm run keys -- users create --email ADDRESS [--merchant NAME] [--name TEXT] [--role ROLE] [--live-merchant NAME]
  npm run keys -- users role --email ADDRESS --role ROLE
  npm run keys -- users link --email ADDRESS        a link by which this user sets a password: works once, for a day
  npm run keys -- users password --email ADDRESS    another password; every session of this user ends
  npm run keys -- users delete --email ADDRESS

  KIND     test (the default) or hackathon on a test network, live on a live one: a network refuses the other's keys
  ACCESS   full         everything (the default)
           no_release   everything but what lets funds leave the escrow, or fulfils a condition for that: no delivery
                        proof, shipment, release, refund, completed milestone, dispute, resolution or retried payout
           read_only    retrieves and lists
  ROLE     admin        everything, the team included (the default)
           operator     payments: creates, ships, releases, refunds, answers disputes, retries payouts
           read_only    reads
  URL      https; EMAIL and URL are what payers may be shown of the merchant (GET /v1/account); an empty text removes each
  HOSTS    such as shop.example.com,pay.example.com:8443: where payments may send their payers back to (returnUrl, cancelUrl)
  TIME     such as 90s, 30m, 24h, 7d; 0 for at once
  --live   the live network's merchants and keys, in the database LIVE_DATABASE_URL; its keys are of the kind live
  --json   answers for programs

The database is that of the running gateway (.data/local.json), or the one in DATABASE_URL; of a gateway that does not run here,
GATEWAY_ENV and GATEWAY_MODE say which keys its network takes, as they say it to its processes (live unless they say otherwise).
A key is shown when it is made and never again: only its SHA-256 is stored. So is a user's password, which is generated
(another with 'users password'). --live-merchant gives a user live data as well: the merchant in LIVE_DATABASE_URL, by name or id.`;
