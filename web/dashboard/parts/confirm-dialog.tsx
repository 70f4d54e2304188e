// Asks for confirmation of an irreversible action, and explains what will happen.
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Problem } from "./problem.tsx";
import { dashboard } from "./texts.ts";
import { useAttempt } from "./use-attempt.ts";

export type Asking = {
  title: string;
  text: string;
  action: string;
  /** The label of the confirm button, if it depends on the input, such as an amount and its recipient. */
  submit?(form: FormData): string;
  bad?: boolean;
  /** Input fields that the action needs. */
  fields?: ReactNode;
  /** If this throws, the dialog stays open and shows the error. */
  run(form: FormData): Promise<void>;
};

export function ConfirmDialog({ asking, close }: { asking: Asking; close(): void }) {
  const t = useTexts(dashboard);
  const textId = useId();
  // The action refetches what it changes.
  const { error, busy, attempt } = useAttempt({ refetches: false });
  const form = useRef<HTMLFormElement>(null);
  const [label, setLabel] = useState(asking.action);
  const relabel = () => {
    if (form.current && asking.submit) setLabel(asking.submit(new FormData(form.current)));
  };
  // Runs before paint, so that the button's label never changes visibly.
  useLayoutEffect(relabel);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    void attempt(async () => {
      await asking.run(given);
      close();
      showToast(t("done", { action: asking.action }));
    });
  };
  return (
    <Dialog title={asking.title} onClose={close}>
      <form ref={form} className="stack" aria-describedby={textId} onSubmit={submit} onInput={relabel}>
        <p id={textId}>{asking.text}</p>
        {asking.fields}
        <Problem error={error} />
        <div className="row dialog-buttons">
          <Button onClick={close}>{t("back")}</Button>
          <Button type="submit" tone={asking.bad ? "bad" : "main"} busy={busy}>
            {busy ? t("working") : label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
