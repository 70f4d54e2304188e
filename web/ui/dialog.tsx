// A dialog above the page, by React Aria: the focus stays in it and returns to where it was, the rest of the page is hidden
// from screen readers and does not scroll, Escape closes it. React Aria sets styles by script alone, as the policy requires;
// Radix writes style elements.
import { type ReactNode, useRef } from "react";
import { Overlay } from "react-aria/Overlay";
import { useDialog } from "react-aria/useDialog";
import { useModalOverlay } from "react-aria/useModalOverlay";
import { useOverlayTriggerState } from "react-stately/useOverlayTriggerState";

type Props = {
  title: string;
  onClose(): void;
  children: ReactNode;
};

export const Dialog = (props: Props) => (
  <Overlay>
    <Modal {...props} />
  </Overlay>
);

function Modal({ title, onClose, children }: Props) {
  const modal = useRef<HTMLDivElement>(null);
  const dialog = useRef<HTMLElement>(null);
  const state = useOverlayTriggerState({ isOpen: true, onOpenChange: (open) => open || onClose() });
  const { modalProps, underlayProps } = useModalOverlay({}, state, modal);
  const { dialogProps, titleProps } = useDialog({}, dialog);
  return (
    <div className="veil" {...underlayProps}>
      <div ref={modal} {...modalProps}>
        <section ref={dialog} {...dialogProps} className="dialog stack">
          <h2 {...titleProps}>{title}</h2>
          {children}
        </section>
      </div>
    </div>
  );
}
