// Creates an SDK client from GATEWAY_KEY and GATEWAY_URL, or for the local gateway if GATEWAY_KEY is not set.
import { Gateway } from "#sdk/index.ts";
import type { LocalFile } from "../../devnet/local-file.ts";
import { UserError } from "../../shared/errors.ts";
import { readJson } from "../../shared/json-file.ts";
import { paths } from "../../shared/paths.ts";

/** @throws UserError if GATEWAY_KEY is not set and no local gateway is running */
export function createGatewayClient(): { gateway: Gateway; isLive: boolean } {
  const { GATEWAY_KEY, GATEWAY_URL } = process.env;
  if (GATEWAY_KEY) {
    return {
      gateway: new Gateway({ apiKey: GATEWAY_KEY, baseUrl: GATEWAY_URL || undefined }),
      isLive: GATEWAY_KEY.startsWith("sk_live_"),
    };
  }
  const local = readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);
  const merchant = local?.merchants[0];
  if (!local || !merchant) {
    throw new UserError(
      "No local gateway is running, and GATEWAY_KEY is not set. " +
        "Run npm start, or set GATEWAY_KEY (and GATEWAY_URL for another gateway).",
    );
  }
  return { gateway: new Gateway({ apiKey: merchant.apiKey, baseUrl: local.baseUrl }), isLive: false };
}
