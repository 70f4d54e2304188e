// The page that a password link from an invitation or a password reset opens.
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { LanguageChoice, useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { Field } from "../parts/field.tsx";
import { Problem } from "../parts/problem.tsx";
import { dashboard } from "../parts/texts.ts";
import { useAttempt } from "../parts/use-attempt.ts";
import { useTitle } from "../parts/use-title.ts";
import { ask } from "../session/ask.ts";
import { team } from "./texts.ts";

export function SetPasswordPage() {
  const t = useTexts(team);
  const d = useTexts(dashboard);
  const [token] = useState(() => location.hash.slice(1));
  const [isDone, setDone] = useState(false);
  useTitle(t("set.title"));
  const { data, error, isPending } = useQuery({
    queryKey: ["password link"],
    queryFn: () => ask<{ email: string }>("POST", "/auth/password-link", { token }),
    enabled: !isDone,
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="door">
      <main className="card stack door-card">
        <p className="brand">{d("brand")}</p>
        <h1>{t("set.title")}</h1>
        {isDone ? (
          <Notice tone="good">{t("set.done")}</Notice>
        ) : data ? (
          <NewPassword token={token} email={data.email} done={() => setDone(true)} />
        ) : isPending ? (
          <Loading />
        ) : (
          <Problem error={error} />
        )}
        {(isDone || error) && (
          <a className="button button-main button-big" href="/dashboard">
            {t("set.signIn")}
          </a>
        )}
      </main>
      <footer>
        <LanguageChoice />
      </footer>
    </div>
  );
}

function NewPassword({ token, email, done }: { token: string; email: string; done(): void }) {
  const t = useTexts(team);
  // A refetch would check the link again, which has been used.
  const { error, busy, attempt } = useAttempt({ refetches: false });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const newPassword = String(new FormData(event.currentTarget).get("newPassword"));
    void attempt(async () => {
      await ask("POST", "/auth/reset-password", { token, newPassword });
      // The link has been used and must not stay in the URL.
      history.replaceState(null, "", location.pathname);
      done();
    });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p>{t("set.for", { email })}</p>
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <Field
        name="newPassword"
        label={t("password.new")}
        type="password"
        autoComplete="new-password"
        minLength={12}
        maxLength={128}
        required
      />
      <Problem error={error} />
      <Button type="submit" tone="main" big busy={busy}>
        {t("set.submit")}
      </Button>
    </form>
  );
}
