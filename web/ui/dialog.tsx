// A dialog above the page, the browser's own: the focus stays in it and returns to where it was, the rest of the page is inert,
// Escape closes it. A library's dialog keeps all of React from being shaken out of a payer's first load, 2.7 KB compressed.
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";

type Props = {
  title: string;
  onClose(): void;
  children: ReactNode;
};

export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Closed before it leaves the document: only then does the browser give the focus back.
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
      // A browser closes a dialog at the second Escape without asking.
      onClose={onClose}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
