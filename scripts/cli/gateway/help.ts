// The help of `npm run gateway`, which is also the grammar of its arguments (scripts/shared/command-line.ts).
export const KINDS = [
  "payment",
  "time-lock",
  "milestones",
  "refund",
  "dispute",
  "failed-payout",
  "canceled",
] as const;
export type Kind = (typeof KINDS)[number];

export const HELP = `Tools for developers who integrate the gateway.

  npm run gateway -- listen --forward-to URL [--type TYPE]   sends every new event to a URL, signed as webhooks are
  npm run gateway -- trigger KIND                            makes a test payment go through its life
  npm run gateway -- payments [--status STATUS] [--limit N]  lists payments, newest first
  npm run gateway -- payments INTENT                         shows one
  npm run gateway -- events tail [--type TYPE]               shows events as they happen
  npm run gateway -- clock                                   shows the test clock
  npm run gateway -- clock advance SECONDS                   moves it ahead
  npm run gateway -- completion SHELL                        prints a completion script for bash or zsh

  --json          one JSON object a line
  --max-events N  listen and tail end after so many events

KIND is one of ${KINDS.join(", ")}.
TYPE is an event's type such as payment_intent.settled, or all of a kind: 'payment_intent.*'.

It calls the gateway that runs here; another one with GATEWAY_URL (such as https://pay.example.com/v1) and GATEWAY_KEY.
GATEWAY_WEBHOOK_SECRET (whsec_…) signs what listen sends; without it each run makes one and prints it.
Completion: eval "$(npm run -s gateway -- completion bash)" in the clone makes the command gateway, with its words.`;
