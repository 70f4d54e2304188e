// The page's information about the user's browser. On the server, it is derived from the request.
import { createContext, useContext } from "react";

export type Environment = {
  /** The page's own URL. */
  address: string;
  /** Whether the browser runs on a phone, which cannot scan its own screen and whose wallets are apps. */
  isPhone: boolean;
  /** The gateway's WalletConnect project id; null if WalletConnect is disabled. */
  walletConnectProjectId: string | null;
  /** The QR code of a URL that the document already contains. */
  qrCode: { address: string; size: number; path: string } | null;
};

export const isPhoneAgent = (userAgent: string): boolean => /Mobi|Android|iPhone/.test(userAgent);

/** Reads the QR code before rendering replaces the document's content. */
function servedQrCode(): Environment["qrCode"] {
  const svg = document.querySelector<SVGElement>("svg[data-address]");
  const path = svg?.querySelector("path")?.getAttribute("d");
  const { address } = svg?.dataset ?? {};
  if (!svg || !path || address === undefined) return null;
  return { address, path, size: Number(svg.getAttribute("viewBox")?.split(" ")[2]) };
}

export const browserEnvironment = (): Environment => ({
  address: location.href,
  isPhone: isPhoneAgent(navigator.userAgent),
  walletConnectProjectId:
    document.querySelector<HTMLMetaElement>('meta[name="walletconnect"]')?.content ?? null,
  qrCode: servedQrCode(),
});

const Context = createContext<Environment>({
  address: "",
  isPhone: false,
  walletConnectProjectId: null,
  qrCode: null,
});
export const EnvironmentProvider = Context;
export const useEnvironment = (): Environment => useContext(Context);
