// Builds the explorer links of transactions and accounts, if the network has an explorer.
import { useSigned } from "../session/session.tsx";

function useExplorer(path: "tx" | "address") {
  const { session, mode } = useSigned();
  const explorer = session.networks[mode]?.explorerUrl;
  return (hex: string) => (explorer ? `${explorer}/${path}/${hex}` : undefined);
}

export const useTransactionLink = () => useExplorer("tx");
export const useAccountLink = () => useExplorer("address");
