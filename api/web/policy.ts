// The pages' content security policy: everything is loaded from their own origin, and wallets provide icons as data
// URIs. The payment page adds the merchant's image and, if configured, WalletConnect's hosts.

/** The relay, its list of known domains, its public nodes. */
const WALLET_CONNECT = [
  "wss://relay.walletconnect.org",
  "https://verify.walletconnect.org",
  "https://rpc.walletconnect.org",
];

/** The URL as a source that cannot break the policy; undefined if it is invalid. */
function toSource(address: string | null): string | undefined {
  if (address === null || !URL.canParse(address)) return undefined;
  const { origin } = new URL(address);
  return /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? origin : undefined;
}

type Needs = {
  /** The merchant's image. */
  imageUrl?: string | null;
  /** Whether payers can choose WalletConnect, and the node that it reads the chain from. */
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
