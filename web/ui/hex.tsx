// An address, hash or id: shown in short, told in full, copied with a button, linked where there is an explorer.
import { useState } from "react";
import { common } from "../i18n/common.ts";
import { useTexts } from "../i18n/language.tsx";
import { shortHex } from "./format.ts";

const COPIED_MS = 2_000;

export function HexValue({ value, href }: { value: string; href?: string | undefined }) {
  const t = useTexts(common);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const text = (
    <code title={value}>
      <span aria-hidden="true">{shortHex(value)}</span>
      <span className="hidden">{value}</span>
    </code>
  );
  return (
    <span className="hex">
      {href === undefined ? (
        text
      ) : (
        <a href={href} target="_blank" rel="noreferrer noopener">
          {text}
          <span className="hidden"> ({t("newTab")})</span>
        </a>
      )}
      <button type="button" className="copy" onClick={copy} aria-label={`${t("copy")} ${shortHex(value)}`}>
        {copied ? t("copied") : t("copy")}
      </button>
    </span>
  );
}
