// The Content-Security-Policy of the pages. They load all resources from their own origin, except icons of
// wallets, which are data URIs. The payment page also allows the merchant's image and, if configured, the hosts
// of WalletConnect.

/** WalletConnect's relay, domain verification and public nodes. */
const WALLET_CONNECT = [
  "wss://relay.walletconnect.org",
  "https://verify.walletconnect.org",
  "https://rpc.walletconnect.org",
];

/** Converts a URL to a source that cannot break the policy. Returns undefined if the URL is invalid. */
function toSource(address: string | null): string | undefined {
  if (address === null || !URL.canParse(address)) return undefined;
  const { origin } = new URL(address);
  return /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? origin : undefined;
}

type Needs = {
  /** The URL of the merchant's image. */
  imageUrl?: string | null;
  /** Set if payers can choose WalletConnect, with the node through which it reads the chain. */
  walletConnect?: { rpcUrl: string | null };
};

export function contentPolicy({ imageUrl = null, walletConnect }: Needs = {}): string {
  const image = toSource(imageUrl);
  const node = walletConnect && toSource(walletConnect.rpcUrl);
  const connected = [...(walletConnect ? WALLET_CONNECT : []), ...(node ? [node] : [])];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    ["img-src 'self' data:", ...(image ? [image] : [])].join(" "),
    ["connect-src 'self'", ...connected].join(" "),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}
