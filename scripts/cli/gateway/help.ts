// The help of `npm run gateway`, which also defines the syntax of its arguments (scripts/shared/command-line.ts).
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

  npm run gateway -- listen --forward-to URL [--type TYPE]   sends every new event to a URL, signed like a webhook
  npm run gateway -- trigger KIND                            runs a test payment through its lifecycle
  npm run gateway -- payments [--status STATUS] [--limit N]  lists payments, newest first
  npm run gateway -- payments INTENT                         shows one payment
  npm run gateway -- events tail [--type TYPE]               shows events as they are emitted
  npm run gateway -- clock                                   shows the test clock
  npm run gateway -- clock advance SECONDS                   advances the test clock
  npm run gateway -- completion SHELL                        prints a completion script for bash or zsh

  --json          one JSON object per line
  --max-events N  listen and tail exit after N events

KIND is one of ${KINDS.join(", ")}.
TYPE is an event's type such as payment_intent.settled, or all types of a kind: 'payment_intent.*'.

Uses the local gateway, or a different one given by GATEWAY_URL (such as https://pay.example.com/v1) and GATEWAY_KEY.
GATEWAY_WEBHOOK_SECRET (whsec_…) signs the events that listen sends; without it, each run generates and prints one.
Completion: eval "$(npm run -s gateway -- completion bash)" in the clone defines the command gateway, with completion.`;
