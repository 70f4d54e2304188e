// A user's own account: their sessions, second factor and password.
import type { FormEvent } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Field } from "../parts/field.tsx";
import { Freshness } from "../parts/freshness.tsx";
import { Table } from "../parts/list.tsx";
import { Moment } from "../parts/moment.tsx";
import { Problem } from "../parts/problem.tsx";
import { dashboard } from "../parts/texts.ts";
import { useAttempt } from "../parts/use-attempt.ts";
import { useTitle } from "../parts/use-title.ts";
import { useAsked, useSigned } from "../session/session.tsx";
import { team } from "./texts.ts";
import { TwoFactor } from "./two-factor.tsx";

type OpenSession = {
  id: string;
  current: boolean;
  ipAddress: string | null;
  userAgent: string | null;
  created: number;
  lastUsed: number;
};

export function AccountPage() {
  const t = useTexts(team);
  const { session } = useSigned();
  useTitle(t("account"));
  return (
    <>
      <h1>{t("account")}</h1>
      <p className="soft">
        {session.user.email} · {t(`role.${session.user.role}`)}
      </p>
      <TwoFactor />
      <Password />
      <h2>{t("sessions")}</h2>
      <Sessions />
    </>
  );
}

/** Returns the browser's common name, such as `Firefox` or `Chrome`, or the user agent if the browser is unknown. */
function nameBrowser(userAgent: string | null): string {
  if (userAgent === null) return "–";
  const [, name] = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent) ?? [];
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera" };
  return name === undefined ? userAgent.slice(0, 40) : (names[name] ?? name);
}

function Sessions() {
  const t = useTexts(team);
  const d = useTexts(dashboard);
  const { ask } = useSigned();
  const query = useAsked<{ data: OpenSession[] }>("/account/sessions");
  const { error, attempt } = useAttempt();
  if (query.isPending) return <Loading lines={3} />;
  const end = (id: string) =>
    attempt(async () => {
      await ask("DELETE", `/account/sessions/${id}`);
    });
  return (
    <>
      <Freshness query={query} />
      <Problem error={error} />
      <Table
        caption={t("sessions")}
        rows={query.data?.data ?? []}
        columns={[
          {
            name: t("device"),
            show: ({ userAgent, current }) =>
              `${nameBrowser(userAgent)}${current ? ` (${t("thisOne")})` : ""}`,
          },
          { name: t("address"), show: ({ ipAddress }) => ipAddress || "–" },
          { name: t("since"), show: ({ created }) => <Moment at={created} /> },
          { name: t("lastUsed"), show: ({ lastUsed }) => <Moment at={lastUsed} /> },
          {
            name: d("keys.actions"),
            show: ({ id, current }) =>
              current ? (
                "–"
              ) : (
                <button type="button" className="button button-small" onClick={() => void end(id)}>
                  {t("signOutThere")}
                </button>
              ),
          },
        ]}
      />
    </>
  );
}

function Password() {
  const t = useTexts(team);
  const { ask } = useSigned();
  const { error, attempt } = useAttempt();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const target = event.currentTarget;
    const given = Object.fromEntries(new FormData(target));
    void attempt(async () => {
      await ask("POST", "/auth/change-password", given);
      target.reset();
      showToast(t("password.changed"));
    });
  };
  return (
    <form className="card create create-two" aria-label={t("password.title")} onSubmit={submit}>
      <Field name="currentPassword" label={t("password.current")} type="password" required />
      <Field name="newPassword" label={t("password.new")} type="password" required />
      <Button type="submit">{t("password.change")}</Button>
      <Problem error={error} />
    </form>
  );
}
