// Pairs with a wallet on another device or in another app through WalletConnect. This is part of the page and not a
// dialog, because React Aria's dialog would add 3 KB to the code that is loaded before a wallet is chosen.
import { useEffect, useRef } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { useEnvironment } from "../../ui/environment.tsx";
import { CopyButton } from "../../ui/hex.tsx";
import { QrCode } from "./qr-code.tsx";
import { walletTexts } from "./texts.ts";

/** @param uri undefined until the relay has responded */
export function Pairing({ uri, onClose }: { uri: string | undefined; onClose(): void }) {
  const t = useTexts(walletTexts);
  const { isPhone } = useEnvironment();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="stack pairing" aria-labelledby="pairing">
      <h3 id="pairing" ref={heading} tabIndex={-1}>
        {t("pairing.title")}
      </h3>
      <p className="soft">{t(isPhone ? "pairing.phone" : "pairing.text")}</p>
      {uri === undefined ? (
        <p role="status" className="row">
          <span className="spinner" aria-hidden="true" />
          {t("pairing.wait")}
        </p>
      ) : (
        <>
          {isPhone ? (
            <a className="button button-main button-big" href={uri}>
              {t("pairing.open")}
            </a>
          ) : (
            <QrCode address={uri} label={t("pairing.label")} />
          )}
          <CopyButton value={uri} className="button button-plain">
            {t("pairing.copy")}
          </CopyButton>
        </>
      )}
      <button type="button" className="button" onClick={onClose}>
        {t("pairing.cancel")}
      </button>
    </section>
  );
}
