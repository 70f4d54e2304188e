// Finds the shortest payment method for the connected account before the payer decides. Paying finds the method again.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useConfig, useConnection } from "wagmi";
import { getConnectorClient } from "wagmi/actions";
import type { Checkout } from "../payment/checkout.ts";
import type { Verified } from "../payment/verify.ts";
import { choosePaymentMethod } from "./pay.ts";
import type { PaymentMethod, Wallet } from "./payment-methods.ts";

type PaymentMethodInput = { checkout: Checkout; verified: Verified; byTransaction: boolean };

export function usePaymentMethod({ checkout, verified, byTransaction }: PaymentMethodInput) {
  const config = useConfig();
  const queries = useQueryClient();
  const { address, status } = useConnection();
  // After a reload, the account is known before its wallet accepts requests.
  const connected = status === "connected";
  const { testMode, fundingMethods: offers } = checkout.data;
  const queryKey = ["payment-method", verified.id, address, byTransaction];
  const loadWallet = async () => (await getConnectorClient(config, { chainId: verified.chainId })) as Wallet;
  const { data: paymentMethod, isFetching } = useQuery({
    queryKey,
    enabled: connected,
    queryFn: async () =>
      choosePaymentMethod({ wallet: await loadWallet(), verified, testMode, offers, byTransaction }),
    // Paying repeats the query and shows the error to the payer, so an earlier error does not matter.
    retry: false,
    // The method must not change while the payer reads about it. Paying repeats the query.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return {
    paymentMethod,
    isLoading: isFetching || !connected,
    loadWallet,
    showPaymentMethod: (found: PaymentMethod) => queries.setQueryData(queryKey, found),
  };
}
