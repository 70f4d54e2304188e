// Shows the connected account. Below it, shows content that requires the account and the right network.
import { type ReactNode, useRef } from "react";
import { useConnection, useDisconnect, useSwitchChain } from "wagmi";
import { useTexts } from "../../i18n/language.tsx";
import { shortHex } from "../../ui/format.ts";
import { useTakeFocus } from "../../ui/take-focus.ts";
import type { Network } from "../payment/checkout.ts";
import { toProblem } from "./problem.ts";
import { ProblemNotice } from "./problem-notice.tsx";
import { walletTexts } from "./texts.ts";

export function Connected({
  network,
  chainId,
  children,
}: {
  network: Network;
  chainId: number;
  children: ReactNode;
}) {
  const t = useTexts(walletTexts);
  const { address, chainId: current, connector } = useConnection();
  const { mutate: disconnect } = useDisconnect();
  return (
    <>
      <div className="account">
        <p>
          <span className="soft small">{t("connected.as")}</span>
          <br />
          <span title={address}>
            {connector?.name} <code>{shortHex(address ?? "0x")}</code>
          </span>
        </p>
        <button type="button" className="button button-plain" onClick={() => disconnect({})}>
          {t("disconnect")}
        </button>
      </div>
      {current === chainId ? children : <OtherNetwork network={network} chainId={chainId} />}
    </>
  );
}

/** wagmi switches the network. It first adds the network to wallets that do not know it. */
function OtherNetwork({ network, chainId }: { network: Network; chainId: number }) {
  const t = useTexts(walletTexts);
  const { mutate: switchChain, isPending, error } = useSwitchChain();
  const { name } = network;
  const button = useRef<HTMLButtonElement>(null);
  useTakeFocus(button);
  return (
    <>
      <div className="notice notice-warn" role="alert">
        <strong>{t("network.title")}</strong>
        <p>{t("network.text", { network: name })}</p>
      </div>
      <button
        ref={button}
        type="button"
        className="button button-main button-big"
        aria-disabled={isPending}
        onClick={() => !isPending && switchChain({ chainId })}
      >
        {t("network.switch", { network: name })}
      </button>
      {error && <ProblemNotice problem={toProblem(error)} />}
    </>
  );
}
