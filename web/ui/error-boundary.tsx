// Replaces a part of the page that fails, because a script does not load or a render throws. The rest of the page
// stays. Retrying reloads the page, because browsers may cache a failed script, and after a gateway update only the new
// document names the current scripts.
import { Component, type ReactNode } from "react";
import { common } from "../i18n/common.ts";
import { useTexts } from "../i18n/language.tsx";
import { Notice } from "./notice.tsx";

type Props = {
  /** The heading to show if the failed part contains the page's heading. */
  heading?: ReactNode;
  /** A reference for support requests: the payment's id. */
  reference?: string | undefined;
  children: ReactNode;
};

export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    const { heading, reference, children } = this.props;
    if (!this.state.failed) return children;
    return (
      <>
        {heading}
        <Failed reference={reference} />
      </>
    );
  }
}

/** The replacement for a failed part. @param reference for support requests */
export function Failed({ reference }: { reference?: string | undefined }) {
  const t = useTexts(common);
  return (
    <Notice tone="bad" title={t("failed.title")}>
      <p>{t("failed.text")}</p>
      {reference !== undefined && (
        <p>
          {t("failed.reference")} <code>{reference}</code>
        </p>
      )}
      <button type="button" className="button notice-button" onClick={() => location.reload()}>
        {t("failed.again")}
      </button>
    </Notice>
  );
}
