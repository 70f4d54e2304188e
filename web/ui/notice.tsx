// A highlighted message. Screen readers announce errors immediately (role alert), and other notices in reading order.
import type { ReactNode } from "react";

type Tone = "plain" | "good" | "warn" | "bad";

export function Notice({
  tone = "plain",
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children?: ReactNode;
}) {
  return (
    <div className={`notice notice-${tone}`} role={tone === "bad" ? "alert" : undefined}>
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  );
}
