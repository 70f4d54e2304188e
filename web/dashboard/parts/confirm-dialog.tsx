// Asks before something is done that cannot be taken back, and says in plain words what will happen.
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { Problem } from "../shell.tsx";
import { dashboard } from "../texts.ts";

export type Asking = {
  title: string;
  text: string;
  action: string;
  bad?: boolean;
  /** Fields that the doing needs. */
  fields?: ReactNode;
  /** What is wrong is shown in the dialog, which stays open. */
  run(form: FormData): Promise<void>;
};

export function ConfirmDialog({ asking, close }: { asking: Asking; close(): void }) {
  const t = useTexts(dashboard);
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const textId = useId();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await asking.run(new FormData(event.currentTarget));
      close();
    } catch (problem) {
      setError(problem as Error);
      setBusy(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={titleId}
      aria-describedby={textId}
      onClose={close}
    >
      <form className="stack" onSubmit={submit}>
        <h2 id={titleId}>{asking.title}</h2>
        <p id={textId}>{asking.text}</p>
        {asking.fields}
        <Problem error={error} />
        <div className="row dialog-buttons">
          <button type="button" className="button" onClick={close}>
            {t("back")}
          </button>
          <button
            type="submit"
            className={`button ${asking.bad ? "button-bad" : "button-main"}`}
            disabled={busy}
          >
            {busy ? t("working") : asking.action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
