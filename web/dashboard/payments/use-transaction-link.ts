// Where a transaction is shown, if the network has an explorer.
import { useSigned } from "../session.tsx";

export function useTransactionLink() {
  const { session, mode } = useSigned();
  const explorer = session.networks[mode]?.explorerUrl;
  return (hash: string) => (explorer ? `${explorer}/tx/${hash}` : undefined);
}
