// The team: who can sign in to this account, and their roles.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { showToast } from "../../ui/toast.tsx";
import { type Asking, ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { Freshness } from "../parts/freshness.tsx";
import { Table } from "../parts/list.tsx";
import { Problem } from "../parts/problem.tsx";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useAttempt } from "../parts/use-attempt.ts";
import { useTitle } from "../parts/use-title.ts";
import { ROLES, type Role, useAsked, useIsAllowed, useSigned } from "../session/session.tsx";
import { type LinkMade, LinkShown } from "./link-shown.tsx";
import { team } from "./texts.ts";

type Member = {
  id: string;
  email: string;
  name: string;
  role: Role;
  status: "active" | "invited";
  twoFactorEnabled: boolean;
};
type WithLink = Member & { link: string; expires: number };

export function TeamPage() {
  const t = useTexts(team);
  const isAdmin = useIsAllowed("configure");
  const [made, setMade] = useState<LinkMade>();
  const [asking, setAsking] = useState<Asking>();
  useTitle(t("title"));
  return (
    <>
      <h1>{t("title")}</h1>
      {made && <LinkShown made={made} done={() => setMade(undefined)} />}
      {isAdmin ? <Invite made={setMade} /> : <p className="soft">{t("adminsOnly")}</p>}
      <Members ask={setAsking} made={setMade} />
      <p className="small soft">{t("roles")}</p>
      {asking && <ConfirmDialog asking={asking} close={() => setAsking(undefined)} />}
    </>
  );
}

function Invite({ made }: { made(link: LinkMade): void }) {
  const t = useTexts(team);
  const d = useTexts(dashboard);
  const { ask } = useSigned();
  const { error, busy, attempt } = useAttempt();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const target = event.currentTarget;
    const { email, name, role } = Object.fromEntries(new FormData(target));
    void attempt(async () => {
      made(await ask<WithLink>("POST", "/team", { email, name, role }));
      target.reset();
    });
  };
  return (
    <form className="card create create-three" aria-label={t("inviteTitle")} onSubmit={submit}>
      <Field name="name" label={d("name")} required />
      <Field name="email" label={t("email")} type="email" required />
      <Choice
        name="role"
        label={t("role")}
        options={ROLES}
        value="read_only"
        words={(one) => t(`role.${one as Role}`)}
        any={false}
      />
      <Button type="submit" tone="main" busy={busy}>
        {t("invite")}
      </Button>
      <Problem error={error} />
    </form>
  );
}

function Members({ ask: askFirst, made }: { ask(asking: Asking): void; made(link: LinkMade): void }) {
  const t = useTexts(team);
  const d = useTexts(dashboard);
  const { ask, session } = useSigned();
  const isAdmin = useIsAllowed("configure");
  const queries = useQueryClient();
  const query = useAsked<{ data: Member[] }>("/team");
  const { error, attempt } = useAttempt();
  if (query.isPending) return <Loading lines={4} />;
  const removal = ({ id, name }: Member): Asking => ({
    title: t("remove.title", { name }),
    text: t("remove.text"),
    action: t("remove"),
    bad: true,
    run: async () => {
      await ask("DELETE", `/team/${id}`);
      await queries.invalidateQueries();
    },
  });
  const newLink = (member: Member) =>
    attempt(async () => {
      const link = await ask<{ link: string; expires: number }>("POST", `/team/${member.id}/link`);
      made({ ...member, ...link });
    });
  return (
    <>
      <Freshness query={query} />
      <Problem error={error} />
      <Table
        caption={t("title")}
        rows={query.data?.data ?? []}
        columns={[
          {
            name: d("name"),
            show: ({ id, name }) => (id === session.user.id ? `${name} (${t("you")})` : name),
          },
          { name: t("email"), show: ({ email }) => email },
          {
            name: t("role"),
            show: (member) =>
              isAdmin ? (
                <select
                  className="input input-small"
                  aria-label={t("roleOf", { name: member.name })}
                  value={member.role}
                  onChange={({ target }) =>
                    void attempt(async () => {
                      await ask("POST", `/team/${member.id}`, { role: target.value });
                      showToast(t("roleChanged", { name: member.name }));
                    })
                  }
                >
                  {ROLES.map((one) => (
                    <option key={one} value={one}>
                      {t(`role.${one}`)}
                    </option>
                  ))}
                </select>
              ) : (
                t(`role.${member.role}`)
              ),
          },
          {
            name: d("status"),
            show: ({ status }) => (
              <StatusTag status={status === "invited" ? "pending" : "active"}>{t(status)}</StatusTag>
            ),
          },
          { name: t("twoFactor"), show: ({ twoFactorEnabled }) => t(twoFactorEnabled ? "on" : "off") },
          ...(isAdmin
            ? [
                {
                  name: d("keys.actions"),
                  show: (member: Member) =>
                    member.id === session.user.id ? (
                      "–"
                    ) : (
                      <span className="cell-actions">
                        <button
                          type="button"
                          className="button button-small"
                          aria-label={`${t("link")}: ${member.name}`}
                          onClick={() => void newLink(member)}
                        >
                          {t("link")}
                        </button>
                        <button
                          type="button"
                          className="button button-small"
                          aria-label={`${t("remove")}: ${member.name}`}
                          onClick={() => askFirst(removal(member))}
                        >
                          {t("remove")}
                        </button>
                      </span>
                    ),
                },
              ]
            : []),
        ]}
      />
    </>
  );
}
