// A message that stands out. What went wrong is read aloud at once (role alert); the rest when the reader comes to it.
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
