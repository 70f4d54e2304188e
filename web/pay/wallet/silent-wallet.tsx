// Shown while a wallet does not respond, with a way to stop waiting.
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useSlow } from "../../ui/use-slow.ts";
import { walletTexts } from "./texts.ts";

/** Time after which a missing response is reported. */
const SILENT_MS = 20_000;

/** @param waitsFor the pending wallet request; undefined if there is none */
export function SilentWallet({
  waitsFor,
  text,
  onStop,
}: {
  waitsFor: string | undefined;
  text: "silent.text" | "silent.action";
  onStop(): void;
}) {
  const t = useTexts(walletTexts);
  if (!useSlow(waitsFor, SILENT_MS)) return null;
  return (
    <Notice tone="warn" title={t("silent.title")}>
      <p role="status">{t(text)}</p>
      <Button className="notice-button" onClick={onStop}>
        {t("silent.stop")}
      </Button>
    </Notice>
  );
}
