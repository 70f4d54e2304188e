// The sign-in form: email and password, and a code if the user has a second factor.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { LanguageChoice, useTexts } from "../i18n/language.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { Field } from "./parts/field.tsx";
import { dashboard } from "./parts/texts.ts";
import { useTitle } from "./parts/use-title.ts";
import { BESIDE_SESSION, giveCode, SESSION, type SignInProblem, signIn } from "./session/session.tsx";

/** @param email the email address of the account whose session has expired, if any */
function SignInForm({ email }: { email?: string }) {
  const t = useTexts(dashboard);
  const queries = useQueryClient();
  const [problem, setProblem] = useState<SignInProblem>();
  const [asksCode, setAsksCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const finish = async (given: string): Promise<boolean> => {
    // Removes data that another account may have loaded.
    if (given !== email) queries.removeQueries(BESIDE_SESSION);
    await queries.refetchQueries({ queryKey: SESSION });
    if (!queries.getQueryData(SESSION)) return false;
    await queries.invalidateQueries(BESIDE_SESSION);
    return true;
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    const given = text("email");
    setBusy(true);
    setProblem(undefined);
    const refused = asksCode ? await giveCode(text("code").trim()) : await signIn(given, text("password"));
    if (refused === undefined && (await finish(given))) return;
    setBusy(false);
    if (refused === "twoFactor") setAsksCode(true);
    else setProblem(refused ?? "away");
    // The first step must be repeated, so the password is required again.
    if (refused === "wrong") setAsksCode(false);
  };
  return (
    <>
      {problem && (
        <Notice tone="bad">{t(problem === "code" ? "signIn.code.wrong" : `signIn.${problem}`)}</Notice>
      )}
      <form className="stack" onSubmit={submit}>
        {/* The ids differ from those of the page below, which may have fields of the same names. */}
        <Field
          name="email"
          id="email"
          label={t("signIn.email")}
          type="email"
          autoComplete="username"
          value={email}
          readOnly={asksCode}
          required
        />
        {asksCode ? (
          <Field
            name="code"
            id="code"
            label={t("signIn.code")}
            autoComplete="one-time-code"
            hint={t("signIn.codeHelp")}
            required
          />
        ) : (
          <Field
            name="password"
            id="password"
            label={t("signIn.password")}
            type="password"
            autoComplete="current-password"
            required
          />
        )}
        <button type="submit" className="button button-main button-big" disabled={busy}>
          {t("signIn.submit")}
        </button>
      </form>
    </>
  );
}

export function SignIn() {
  const t = useTexts(dashboard);
  useTitle(t("signIn.title"));
  return (
    <div className="door">
      <main className="card stack door-card">
        <p className="brand">{t("brand")}</p>
        <h1>{t("signIn.title")}</h1>
        <SignInForm />
        <p className="small soft">{t("signIn.help")}</p>
      </main>
      <footer>
        <LanguageChoice />
      </footer>
    </div>
  );
}

/**
 * Shown over the page when its session has expired, so that the page keeps its input. The dialog reopens when it is
 * closed, because nothing works without a session.
 */
export function SignInAgain({ email }: { email: string }) {
  const t = useTexts(dashboard);
  const [closed, setClosed] = useState(0);
  return (
    <Dialog key={closed} title={t("signIn.again")} onClose={() => setClosed(closed + 1)}>
      <p>{t("signIn.againText")}</p>
      <SignInForm email={email} />
    </Dialog>
  );
}
