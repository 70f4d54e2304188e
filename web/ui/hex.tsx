// A shortened address, hash or id with a copy button, and with a link if there is an explorer. Screen readers read the
// full value.
import { type ReactNode, useState } from "react";
import { common } from "../i18n/common.ts";
import { useTexts } from "../i18n/language.tsx";
import { shortHex } from "./format.ts";

const COPIED_MS = 2_000;

/**
 * @param children the button's text before the value is copied
 * @param label the accessible name, if the text does not say what is copied
 */
export function CopyButton({
  value,
  className,
  label,
  children,
}: {
  value: string;
  className: string;
  label?: string;
  children?: ReactNode;
}) {
  const t = useTexts(common);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button type="button" className={className} onClick={copy} aria-label={copied ? undefined : label}>
      {copied ? t("copied") : (children ?? t("copy"))}
    </button>
  );
}

export function HexValue({ value, href }: { value: string; href?: string | undefined }) {
  const t = useTexts(common);
  const text = (
    <code title={value}>
      <span className="short" aria-hidden="true">
        {shortHex(value)}
      </span>
      <span className="full hidden">{value}</span>
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
      <CopyButton value={value} label={`${t("copy")} ${shortHex(value)}`} className="copy" />
    </span>
  );
}
