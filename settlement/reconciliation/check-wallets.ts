// Compares the balance of each off-ramp wallet with the amount of the payouts that have not been ordered from it yet.
// Retries and payouts with allocated funds do not count.
import { computeLack, readWallets } from "../payouts/wallets.ts";
import { buildStake, type Finding, findCurrency, formatMoney } from "./discrepancy.ts";
import type { Dependencies } from "./scope.ts";
import type { Stage } from "./stage.ts";

export async function compareWallets(parts: Dependencies): Promise<Finding[]> {
  const found = await readWallets(parts);
  return found.flatMap((wallet): Finding[] => {
    const { token, offRamp, need, balance } = wallet;
    if (balance instanceof Error) throw balance;
    const lack = computeLack(wallet);
    const currency = findCurrency(parts.deployment.tokens, token);
    if (lack === 0n || !currency) return [];
    return [
      {
        kind: "wallet_shortfall",
        about: `${currency} ${offRamp}`,
        says:
          `The off-ramp wallet ${offRamp} holds ${formatMoney(balance, currency)}, but payouts that are not ordered yet need ` +
          `${formatMoney(need, currency)}: ${formatMoney(lack, currency)} is missing.`,
        ...buildStake(lack, currency),
        identity: String(lack),
        subject: { check: "wallets" },
      },
    ];
  });
}

export const wallets: Stage = {
  name: "wallets",
  open:
    ({ parts }) =>
    async () => ({ found: await compareWallets(parts), cursor: null }),
};
