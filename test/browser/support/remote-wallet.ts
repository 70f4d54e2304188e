// A wallet that connects through WalletConnect. A replaced provider script calls the test's wallet instead of the
// relay; the rest of the page is unchanged.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { Page } from "playwright-core";
import { root } from "#scripts/shared/paths.ts";

export const PAIRING = "wc:6e0f2b@2?relay-protocol=irn&symKey=00ff";

/** Returns the path of the built script from which the page loads WalletConnect's provider. */
function providerScript(): string {
  const folder = join(root, "web/dist");
  for (const file of new Glob("assets/*.js").scanSync({ cwd: folder })) {
    if (/export\s*\{[^}]*\bEthereumProvider\b/.test(readFileSync(join(folder, file), "utf8")))
      return `/${file}`;
  }
  throw new Error("No script of the page exports WalletConnect's provider.");
}

const mocked = (binding: string, chainId: number): string => `
  const listeners = {};
  const emit = (event, data) => (listeners[event] ?? []).forEach((listener) => listener(data));
  async function ask(method, params) {
    const answer = await window[${JSON.stringify(binding)}]({ method, params });
    if ("error" in answer) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  }
  class Provider {
    events = { setMaxListeners() {} };
    accounts = [];
    chainId = ${chainId};
    on(event, listener) { (listeners[event] ??= []).push(listener); }
    removeListener(event, listener) { listeners[event] = (listeners[event] ?? []).filter((one) => one !== listener); }
    async connect() {
      emit("display_uri", ${JSON.stringify(PAIRING)});
      await new Promise((resolve) => { window.allowPairing = resolve; });
      this.accounts = await ask("eth_requestAccounts");
      const accounts = this.accounts.map((account) => "eip155:${chainId}:" + account);
      this.session = { namespaces: { eip155: { accounts, chains: ["eip155:${chainId}"], methods: [], events: [] } } };
      emit("connect", { chainId: "0x" + this.chainId.toString(16) });
    }
    async enable() { return this.accounts; }
    async disconnect() { this.session = undefined; this.accounts = []; }
    async request({ method, params }) {
      const result = await ask(method, params);
      // Like the real one, which also reports the chain that it is already on.
      if (method === "wallet_switchEthereumChain") emit("chainChanged", params[0].chainId);
      return result;
    }
  }
  export const EthereumProvider = { init: async () => new Provider() };
`;

/** @returns how often the page requested the provider's script */
export async function answerWalletConnect(
  page: Page,
  binding: string,
  chainId: number,
): Promise<{ loads: number }> {
  const counted = { loads: 0 };
  const script = providerScript();
  await page.route(`**${script}`, (route) => {
    counted.loads++;
    return route.fulfill({ contentType: "text/javascript", body: mocked(binding, chainId) });
  });
  return counted;
}

/** Approves the pairing, as the owner does on the other device. */
export const allowPairing = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as { allowPairing(): void }).allowPairing());
