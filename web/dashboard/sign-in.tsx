// Signing in, by e-mail and password.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { LanguageChoice, useTexts } from "../i18n/language.tsx";
import { Notice } from "../ui/notice.tsx";
import { useTitle } from "./router.tsx";
import { SESSION, signIn } from "./session.tsx";
import { dashboard } from "./texts.ts";

type Problem = NonNullable<Awaited<ReturnType<typeof signIn>>>;

export function SignIn() {
  const t = useTexts(dashboard);
  const queries = useQueryClient();
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  useTitle(t("signIn.title"));
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(undefined);
    const refused = await signIn(String(form.get("email")), String(form.get("password")));
    setBusy(false);
    if (refused) setProblem(refused);
    else await queries.resetQueries({ queryKey: SESSION });
  };
  return (
    <div className="door">
      <main className="card stack door-card">
        <p className="brand">{t("brand")}</p>
        <h1>{t("signIn.title")}</h1>
        {problem && <Notice tone="bad">{t(`signIn.${problem}`)}</Notice>}
        <form className="stack" onSubmit={submit}>
          <div className="field">
            <label htmlFor="email">{t("signIn.email")}</label>
            <input className="input" id="email" name="email" type="email" autoComplete="username" required />
          </div>
          <div className="field">
            <label htmlFor="password">{t("signIn.password")}</label>
            <input
              className="input"
              id="password"
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
          </div>
          <button type="submit" className="button button-main button-big" disabled={busy}>
            {t("signIn.submit")}
          </button>
        </form>
        <p className="small soft">{t("signIn.help")}</p>
      </main>
      <footer>
        <LanguageChoice />
      </footer>
    </div>
  );
}
