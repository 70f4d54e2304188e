// The pages' button. While busy, it keeps its focus and size, shows a busy state, and ignores clicks.
import type { ComponentProps } from "react";

type Props = ComponentProps<"button"> & {
  tone?: "main" | "bad" | "plain";
  /** As wide as its container. */
  big?: boolean;
  busy?: boolean;
};

export function Button({
  tone,
  big = false,
  busy = false,
  className = "",
  onClick,
  children,
  ...rest
}: Props) {
  const classes = ["button", tone && `button-${tone}`, big && "button-big", className]
    .filter(Boolean)
    .join(" ");
  return (
    <button
      type="button"
      {...rest}
      className={classes}
      aria-disabled={busy || rest["aria-disabled"]}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}
