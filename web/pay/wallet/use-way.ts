// Finds the shortest payment method for the connected account before the payer decides, and again when they
// pay.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useConfig, useConnection } from "wagmi";
import { getConnectorClient } from "wagmi/actions";
import type { Checkout } from "../checkout.ts";
import type { Verified } from "../verify.ts";
import { chooseWay } from "./pay.ts";
import type { Wallet, Way } from "./ways.ts";

type Shown = { checkout: Checkout; verified: Verified; byTransaction: boolean };

export function useWay({ checkout, verified, byTransaction }: Shown) {
  const config = useConfig();
  const queries = useQueryClient();
  const { address, status } = useConnection();
  // After a reload the account is known before its wallet accepts requests.
  const connected = status === "connected";
  const { testMode, fundingMethods: offers } = checkout.data;
  const queryKey = ["way", verified.id, address, byTransaction];
  const walletOf = async () => (await getConnectorClient(config, { chainId: verified.chainId })) as Wallet;
  const { data: way, isFetching } = useQuery({
    queryKey,
    enabled: connected,
    queryFn: async () => chooseWay({ wallet: await walletOf(), verified, testMode, offers, byTransaction }),
    // Paying repeats the lookup and shows the error to the payer; until then it does not matter.
    retry: false,
    // The method must not change while the payer reads it; paying looks it up again.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return {
    way,
    isSought: isFetching || !connected,
    walletOf,
    showWay: (found: Way) => queries.setQueryData(queryKey, found),
  };
}
