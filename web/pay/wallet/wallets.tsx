// The list of wallets after wagmi has been loaded. Connects the chosen wallet.
import { useContext, useEffect, useMemo, useState } from "react";
import { useConfig, useConnect, useConnectors } from "wagmi";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { useEnvironment } from "../../ui/environment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useSlow } from "../../ui/use-slow.ts";
import { Chosen } from "./chosen.ts";
import { type FoundWallet, useFoundWallets, WALLET_CONNECT } from "./find-wallets.ts";
import { Pairing } from "./pairing.tsx";
import { toProblem } from "./problem.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { walletTexts as texts } from "./texts.ts";
import { onPairing, walletConnectFor } from "./wallet-connect.ts";
import { WalletList } from "./wallet-list.tsx";

/** Returns the wallets that wagmi knows. wagmi may notice a late EIP-6963 announcement a moment after the page does. */
function useConnectable(): FoundWallet[] {
  const found = useFoundWallets();
  const connectors = useConnectors();
  return useMemo(() => {
    const known = new Set(connectors.map(({ id }) => id));
    return found.filter(({ id }) => known.has(id));
  }, [found, connectors]);
}

/**
 * An injected wallet that takes longer has probably not shown its prompt, or shows it where the payer cannot see it.
 */
const SLOW_MS = 10_000;

/** Connects one wallet at a time. A payer who stops waiting for a wallet can choose another immediately. */
function useConnecting() {
  const config = useConfig();
  const connectors = useConnectors();
  const { walletConnectProjectId: projectId } = useEnvironment();
  const { mutate, reset, isPending, variables, error } = useConnect();
  const [uri, setUri] = useState<string>();
  const findConnector = (id: string) =>
    id === WALLET_CONNECT.id && projectId !== null
      ? walletConnectFor(config, projectId)
      : connectors.find((one) => one.id === id);
  return {
    waiting: isPending ? (variables.connector as { id: string }).id : undefined,
    error,
    uri,
    giveUp: reset,
    choose(id: string) {
      const connector = findConnector(id);
      if (!connector) return;
      setUri(undefined);
      const end = onPairing(connector, setUri);
      mutate({ connector }, { onSettled: end });
    },
  };
}

export function Wallets() {
  const t = useTexts(texts);
  const wallets = useConnectable();
  const chosen = useContext(Chosen);
  const { waiting, error, uri, choose, giveUp } = useConnecting();
  const pairs = waiting === WALLET_CONNECT.id;
  const slow = useSlow(pairs ? undefined : waiting, SLOW_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen before this was loaded is connected once
  useEffect(() => {
    const id = chosen.take();
    if (id !== undefined) choose(id);
  }, [chosen]);
  return (
    <>
      {pairs ? (
        <Pairing uri={uri} onClose={giveUp} />
      ) : (
        <WalletList wallets={wallets} waiting={waiting} onChoose={choose} />
      )}
      {slow && (
        <Notice tone="warn" title={t("silent.connect.title")}>
          <p role="status">{t("silent.connect.text")}</p>
          <Button className="notice-button" onClick={giveUp}>
            {t("silent.connect.stop")}
          </Button>
        </Notice>
      )}
      {error && <ProblemNotice problem={toProblem(error)} />}
    </>
  );
}
