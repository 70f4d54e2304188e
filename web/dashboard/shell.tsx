// The frame of every dashboard page: navigation, the signed-in user, and the test/live switch.
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useRef } from "react";
import { common } from "../i18n/common.ts";
import { LanguageChoice, useTexts } from "../i18n/language.tsx";
import { LiveFreshness } from "./parts/freshness.tsx";
import { dashboard } from "./parts/texts.ts";
import { useFocusOnNavigation } from "./parts/use-focus-on-navigation.ts";
import { type Mode, signOut, useSigned } from "./session/session.tsx";

const SECTIONS = ["home", "payments", "settlements", "developers", "team"] as const;
const DEVELOPERS = ["keys", "webhooks", "events", "requests", "audit", "start"] as const;
const ADDRESSES = {
  home: "/",
  payments: "/payments",
  settlements: "/settlements",
  developers: "/keys",
  team: "/members",
} as const;

export function Shell() {
  const t = useTexts(dashboard);
  const c = useTexts(common);
  const { session, mode } = useSigned();
  const content = useRef<HTMLElement>(null);
  useFocusOnNavigation(content);
  const [, first] = useLocation({ select: ({ pathname }) => pathname }).split("/");
  const isForDevelopers = DEVELOPERS.some((one) => one === first);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {c("skip")}
      </a>
      <header className="bar">
        <p className="brand">{session.networks[mode]?.merchantName}</p>
        <nav aria-label={t("nav.label")} className="sections">
          {SECTIONS.map((one) => (
            <Link
              key={one}
              to={ADDRESSES[one]}
              activeOptions={{ exact: one === "home" }}
              className="section"
              {...(one === "developers" && isForDevelopers ? { "aria-current": "true" } : {})}
            >
              {t(`nav.${one}`)}
            </Link>
          ))}
        </nav>
        <ModeSwitch />
      </header>
      <main id="content" ref={content} tabIndex={-1} className="content" key={mode}>
        {mode === "test" && <p className="test-band">{t("mode.testBand")}</p>}
        <LiveFreshness />
        {isForDevelopers && (
          <nav aria-label={t("nav.developers")} className="sections sections-inner">
            {DEVELOPERS.map((one) => (
              <Link key={one} to={`/${one}`} className="section">
                {t(`nav.${one}`)}
              </Link>
            ))}
          </nav>
        )}
        <Outlet />
      </main>
      <Foot />
    </div>
  );
}

function ModeSwitch() {
  const t = useTexts(dashboard);
  const { session, mode, choose } = useSigned();
  const missing = (["test", "live"] as const).filter((one) => session.networks[one] === null);
  return (
    <div className="stack-tight mode">
      <fieldset className="choice">
        <legend className="hidden">{t("mode.label")}</legend>
        {(["test", "live"] as Mode[]).map((one) => (
          <button
            key={one}
            type="button"
            className="choice-item"
            aria-pressed={one === mode}
            disabled={session.networks[one] === null}
            aria-describedby={session.networks[one] === null ? "mode-missing" : undefined}
            onClick={() => choose(one)}
          >
            {t(`mode.${one}`)}
          </button>
        ))}
      </fieldset>
      {missing.map((one) => (
        <span key={one} id="mode-missing" className="small soft">
          {t(`mode.${one}.missing`)}
        </span>
      ))}
    </div>
  );
}

function Foot() {
  const t = useTexts(dashboard);
  const { session } = useSigned();
  const leave = async () => {
    await signOut();
    // Loads a new document, so that no data of the signed-out user remains.
    location.assign("/dashboard");
  };
  return (
    <footer className="row spread foot">
      <LanguageChoice />
      <span className="row">
        <Link to="/account" className="small">
          {t("nav.account")}: {session.user.email}
        </Link>
        <button type="button" className="button button-plain" onClick={leave}>
          {t("signOut")}
        </button>
      </span>
    </footer>
  );
}
