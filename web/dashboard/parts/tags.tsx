// A status tag: a label with an icon and a color. The label alone conveys the status.
import { Icon, type IconName } from "../../ui/icons.tsx";

const TONES = {
  good: ["FINAL", "COMPLETED", "RELEASED", "PAID_OUT", "completed", "active", "enabled", "succeeded"],
  warn: ["CONFIRMING", "PARTLY_REFUNDED", "ending", "pending", "created", "submitted", "quarantined"],
  bad: ["CANCELED", "REFUNDED", "failed", "returned", "revoked", "expired", "disabled"],
  alert: ["DISPUTED", "NEEDS_ACTION"],
} as const;
type Tone = keyof typeof TONES;

const ICONS: Record<Tone, IconName> = { good: "check", warn: "clock", bad: "cross", alert: "warning" };
/** Icons for statuses whose tone is not specific enough. */
const OWN_ICONS: Record<string, IconName> = {
  AWAITING_PAYMENT: "clock",
  IN_ESCROW: "lock",
  SHIPPED: "lock",
  DELIVERED: "lock",
  REFUNDED: "undo",
  PARTLY_REFUNDED: "undo",
  returned: "undo",
};

const toneOf = (status: string): Tone | undefined =>
  (Object.keys(TONES) as Tone[]).find((tone) => (TONES[tone] as readonly string[]).includes(status));

/** @param children the label; the tooltip shows the API's own value */
export function StatusTag({ status, children }: { status: string; children: string }) {
  const tone = toneOf(status);
  const icon = OWN_ICONS[status] ?? (tone && ICONS[tone]);
  return (
    <span className={`tag ${tone ? `tag-${tone}` : ""}`} title={status}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}
