// What the page says while a wallet does not answer, and the way out.
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useSlow } from "../../ui/use-slow.ts";
import { wallet } from "./texts.ts";

/** How long its owner may take before something seems wrong. */
const SILENT_MS = 20_000;

/** @param waitsFor the wallet's question; undefined while none is open */
export function SilentWallet({
  waitsFor,
  text,
  onStop,
}: {
  waitsFor: string | undefined;
  text: "silent.text" | "silent.action";
  onStop(): void;
}) {
  const t = useTexts(wallet);
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
