// Stands in for a part of the page that fails: a script that does not load, or a rendering that throws. The rest of the
// page stays. A new attempt loads the page again: a browser may remember a script that failed, and after an update of the
// gateway only the new document names the scripts that there are.
import { Component, type ReactNode } from "react";
import { common } from "../i18n/common.ts";
import { useTexts } from "../i18n/language.tsx";
import { Notice } from "./notice.tsx";

type Props = {
  /** For a part that holds the page's heading. */
  heading?: ReactNode;
  /** What a reader who asks for help names: the payment's id. */
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

/** What stands in for the part. @param reference what a reader who asks for help names */
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
