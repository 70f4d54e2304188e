// Builds the document of the payment page with its payment embedded, so that the browser shows the amount, the
// merchant and the status before scripts run, and does not request the payment again. If the payment is
// unavailable (unknown id, rate limit, no database), the plain document is served, and its script determines and
// shows the reason.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isIntentId } from "#core/ids.ts";
import { describe } from "#core/log.ts";
import type { AccessControl } from "../access/authenticate.ts";
import { retrieveNetworkCheckout } from "../checkout/retrieve-checkout.ts";
import type { CheckoutShown } from "../checkout/show-checkout.ts";
import type { Services } from "../services.ts";
import { DIST } from "./pages.ts";
import { contentPolicy } from "./policy.ts";

/** web/pay/server.tsx, built by `npm run build`. */
type Renderer = {
  renderPayment(asked: {
    checkout: object;
    address: string;
    languages: readonly string[];
    userAgent: string;
    walletConnectProjectId: string | null;
  }): { language: string; direction: "ltr" | "rtl"; title: string; html: string };
};

export type Visitor = Parameters<AccessControl["byAddress"]>[0];

/** Returns undefined if the pages were not built. */
const loadRenderer = async (file: string): Promise<Renderer | undefined> =>
  existsSync(file) ? ((await import(file)) as Renderer) : undefined;

/**
 * Parses an Accept-Language header such as "de-AT, en;q=0.8". Weights are ignored, because browsers send them in
 * descending order.
 */
const parseLanguages = (header: string | null): string[] =>
  (header ?? "").split(",").map((item) => item.split(";")[0]?.trim() ?? "");

/** Escapes JSON so that it cannot end its script element. */
const scriptText = (value: object): string => JSON.stringify(value).replaceAll("<", "\\u003c");

type Template = { plain: string; renderer: Renderer; walletConnectProjectId: string | null };

function fill(
  { plain, renderer, walletConnectProjectId }: Template,
  shown: CheckoutShown,
  { headers, address }: { headers: Headers; address: string },
): string {
  // The typed data is omitted, because the page can derive it from the terms.
  const { typedData: _, ...data } = shown.data;
  const checkout = { ...shown, data };
  const { language, direction, title, html } = renderer.renderPayment({
    checkout,
    address,
    languages: parseLanguages(headers.get("accept-language")),
    userAgent: headers.get("user-agent") ?? "",
    walletConnectProjectId,
  });
  return plain
    .replace(/<html lang="\w+">/, () => `<html lang="${language}" dir="${direction}">`)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${Bun.escapeHTML(title)}</title>`)
    .replace('<div id="page">', (start) => `${start}${html}`)
    .replace(
      "</body>",
      (end) => `<script type="application/json" id="checkout">${scriptText(checkout)}</script>${end}`,
    );
}

/** Adds the WalletConnect project id to the page, so that payers can choose WalletConnect. */
const withProject = (plain: string, projectId: string | null): string =>
  projectId === null
    ? plain
    : plain.replace("</head>", (end) => `<meta name="walletconnect" content="${projectId}" />${end}`);

type Served = { text: string; policy: string };

export function createPaymentDocument(services: Services, built: string, folder = DIST) {
  const { paymentPageUrl, walletConnectProjectId } = services.config;
  const plain = withProject(built, walletConnectProjectId);
  const servedAs = (text: string, shown?: CheckoutShown): Served => ({
    text,
    policy: contentPolicy({
      imageUrl: shown?.data.merchantLogoUrl ?? null,
      ...(walletConnectProjectId === null
        ? {}
        : { walletConnect: { rpcUrl: shown?.data.network.rpcUrl ?? null } }),
    }),
  });
  const loading = loadRenderer(join(folder, "server/server.js"));
  const payment = async (visitor: Visitor): Promise<Served> => {
    const id = new URL(visitor.request.url).searchParams.get("intent")?.trim() ?? "";
    const renderer = await loading;
    if (!isIntentId(id) || !renderer) return servedAs(plain);
    const { accessControl, networks } = services;
    await accessControl.byAddress(visitor);
    const shown = await retrieveNetworkCheckout(await networks.holding(services, id), id);
    if (!shown) return servedAs(plain);
    // The address in the browser, even if a proxy rewrites the request.
    const address = `${paymentPageUrl}/${new URL(visitor.request.url).search}`;
    const asked = { headers: visitor.request.headers, address };
    return servedAs(fill({ plain, renderer, walletConnectProjectId }, shown, asked), shown);
  };
  return (visitor: Visitor): Promise<Served> =>
    payment(visitor).catch((error: unknown) => {
      services.log.debug({ cause: describe(error) }, "serving a payment page without its payment");
      return servedAs(plain);
    });
}
