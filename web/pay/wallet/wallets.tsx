// The choice of a wallet once wagmi is there: connects the one that was chosen.
import { useContext, useEffect, useMemo } from "react";
import { useConnect, useConnectors } from "wagmi";
import { Chosen } from "./chosen.ts";
import { type FoundWallet, useFoundWallets } from "./find-wallets.ts";
import { problemOf } from "./problem.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { WalletList } from "./wallet-list.tsx";

/** wagmi hears of a wallet that announces itself late with the page, or a moment after it. */
function useConnectable(): FoundWallet[] {
  const found = useFoundWallets();
  const connectors = useConnectors();
  return useMemo(() => {
    const known = new Set(connectors.map(({ id }) => id));
    return found.filter(({ id }) => known.has(id));
  }, [found, connectors]);
}

export function Wallets() {
  const wallets = useConnectable();
  const connectors = useConnectors();
  const chosen = useContext(Chosen);
  const { mutate: connect, isPending, variables, error } = useConnect();
  const waiting = isPending ? (variables.connector as { id: string }).id : undefined;
  const choose = (id: string) => {
    const connector = connectors.find((one) => one.id === id);
    if (connector) connect({ connector });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen before this was loaded is connected once
  useEffect(() => {
    const id = chosen.take();
    if (id !== undefined) choose(id);
  }, [chosen]);
  return (
    <>
      <WalletList wallets={wallets} waiting={waiting} onChoose={choose} />
      {error && <ProblemNotice problem={problemOf(error)} />}
    </>
  );
}
