// A status as a word in a colour; the word alone says it.
const GOOD = ["FINAL", "COMPLETED", "RELEASED", "PAID_OUT", "completed", "active", "enabled", "succeeded"];
const WARN = ["CONFIRMING", "PARTLY_REFUNDED", "ending", "pending", "created", "submitted", "quarantined"];
const BAD = ["CANCELED", "REFUNDED", "failed", "returned", "revoked", "expired", "disabled"];
const ALERT = ["DISPUTED", "NEEDS_ACTION"];

/** @param children its word for people; the API's own is its title */
export function StatusTag({ status, children }: { status: string; children: string }) {
  const tone = GOOD.includes(status)
    ? "tag-good"
    : WARN.includes(status)
      ? "tag-warn"
      : BAD.includes(status)
        ? "tag-bad"
        : ALERT.includes(status)
          ? "tag-alert"
          : "";
  return (
    <span className={`tag ${tone}`} title={status}>
      {children}
    </span>
  );
}
