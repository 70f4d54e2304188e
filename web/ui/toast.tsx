// Toasts that disappear automatically, based on React Aria. They are announced, reachable with F6, and kept while
// hovered or focused.
import { useRef } from "react";
import { useToast, useToastRegion } from "react-aria/useToast";
import { type QueuedToast, ToastQueue, type ToastState, useToastQueue } from "react-stately/useToastState";
import { common } from "../i18n/common.ts";
import { useTexts } from "../i18n/language.tsx";
import { Icon } from "./icons.tsx";

const SHOWN_MS = 6_000;
/** @param action what the toast's button does, such as an undo */
type Message = { text: string; action?: { label: string; run(): void } };

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });

export const showToast = (text: string, action?: Message["action"]): void => {
  queue.add({ text, ...(action ? { action } : {}) }, { timeout: SHOWN_MS });
};

/** The container of a page's toasts; one per page. */
export function Toasts() {
  const state = useToastQueue(queue);
  return state.visibleToasts.length > 0 ? <Region state={state} /> : null;
}

function Region({ state }: { state: ToastState<Message> }) {
  const t = useTexts(common);
  const region = useRef<HTMLDivElement>(null);
  const { regionProps } = useToastRegion({ "aria-label": t("toast.region") }, state, region);
  return (
    <div ref={region} {...regionProps} className="toasts no-print">
      {state.visibleToasts.map((toast) => (
        <Toast key={toast.key} toast={toast} state={state} />
      ))}
    </div>
  );
}

function Toast({ toast, state }: { toast: QueuedToast<Message>; state: ToastState<Message> }) {
  const t = useTexts(common);
  const element = useRef<HTMLDivElement>(null);
  const { toastProps, contentProps, titleProps } = useToast({ toast }, state, element);
  const { text, action } = toast.content;
  return (
    <div ref={element} {...toastProps} className="toast">
      <Icon name="check" />
      <div {...contentProps}>
        <span {...titleProps}>{text}</span>
      </div>
      {action && (
        <button
          type="button"
          className="toast-action"
          onClick={() => {
            state.close(toast.key);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        className="toast-close"
        aria-label={t("toast.close")}
        onClick={() => state.close(toast.key)}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}
