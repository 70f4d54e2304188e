// The dashboard: the sign-in form, then the page that the URL selects.
import { RouterProvider } from "@tanstack/react-router";
import { useState } from "react";
import { useTexts } from "../i18n/language.tsx";
import { Notice } from "../ui/notice.tsx";
import { Loading } from "../ui/skeleton.tsx";
import { Toasts } from "../ui/toast.tsx";
import { Live } from "./live/live.tsx";
import { dashboard } from "./parts/texts.ts";
import { router } from "./routes.tsx";
import { type Session, SessionProvider, useSession } from "./session/session.tsx";
import { SignIn, SignInAgain } from "./sign-in.tsx";
import { SetPasswordPage } from "./team/set-password-page.tsx";

/** The path of a password link. The link applies to the user that it names, regardless of who is signed in. */
const SET_PASSWORD = "/dashboard/set-password";

export function DashboardPage() {
  return location.pathname === SET_PASSWORD ? <SetPasswordPage /> : <SignedPages />;
}

function SignedPages() {
  const t = useTexts(dashboard);
  const { data: session, error } = useSession();
  const [known, setKnown] = useState<Session>();
  if (session && session !== known) setKnown(session);
  const shown = session ?? known;
  if (!shown && session === null) return <SignIn />;
  if (!shown)
    return error ? (
      <main className="door">
        <h1 className="hidden">{t("brand")}</h1>
        <Notice tone="bad">{t("error.away")}</Notice>
      </main>
    ) : (
      <div className="door">
        <Loading />
      </div>
    );
  return (
    <SessionProvider key={shown.user.id} session={shown}>
      <Live>
        <RouterProvider router={router} />
      </Live>
      <Toasts />
      {session === null && <SignInAgain email={shown.user.email} />}
    </SessionProvider>
  );
}
