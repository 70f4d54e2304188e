import { expect, it } from "bun:test";
import { type Address, zeroHash } from "viem";
import type { Terms } from "#core/chain/terms.ts";
import type { Services } from "../services.ts";
import { sendProofAs } from "./impersonate-oracle.ts";

const ORACLE: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

it("the gateway never acts for an oracle on a real chain", async () => {
  const services = { config: { chain: { simulated: false } } } as Services;
  const proof = sendProofAs(services, ORACLE, [{} as Terms, zeroHash, ""]);
  await expect(proof).rejects.toThrow("requires a simulated chain");
});
