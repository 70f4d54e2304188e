// A native modal dialog. It traps and restores focus, makes the rest of the page inert, and closes on Escape. A
// library's dialog would prevent tree-shaking of React in the payer's first load, which would add 2.7 KB compressed.
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

type Props = {
  title: string;
  onClose(): void;
  children: ReactNode;
};

export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Closes the dialog before it is removed from the document, because only then does the browser restore the focus.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog stack"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // On the second Escape, a browser closes a dialog without a cancel event.
      onClose={onClose}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
