// The second factor: an authenticator app, set up by QR code, and backup codes for a lost phone.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/hex.tsx";
import { type Asking, ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { Field } from "../parts/field.tsx";
import { QrCode } from "../parts/qr-code.tsx";
import { SESSION, useSigned } from "../session/session.tsx";
import { team } from "./texts.ts";

type SetUp = { totpUri: string; backupCodes: string[] };

export function TwoFactor() {
  const t = useTexts(team);
  const { session, ask } = useSigned();
  const queries = useQueryClient();
  const isOn = session.user.twoFactorEnabled;
  const [asking, setAsking] = useState<Asking>();
  const [codes, setCodes] = useState<string[]>();
  const changed = () => queries.invalidateQueries({ queryKey: SESSION });
  const withPassword = (action: string, run: (password: string) => Promise<void>): Asking => ({
    title: t("twoFactor.title"),
    text: t("twoFactor.confirm"),
    action,
    fields: <Field name="password" label={t("twoFactor.password")} type="password" required />,
    run: (form) => run(String(form.get("password"))),
  });
  const verifying = ({ totpUri, backupCodes }: SetUp): Asking => ({
    title: t("twoFactor.title"),
    text: t("twoFactor.scan"),
    action: t("twoFactor.verify"),
    fields: (
      <>
        <QrCode text={totpUri} label={t("twoFactor.qr")} />
        <p className="small soft">{t("twoFactor.key")}</p>
        <code className="secret" data-testid="totp-key">
          {new URL(totpUri).searchParams.get("secret")}
        </code>
        <Field name="code" label={t("twoFactor.code")} required />
      </>
    ),
    run: async (form) => {
      await ask("POST", "/auth/two-factor/verify-totp", { code: String(form.get("code")).trim() });
      setCodes(backupCodes);
      await changed();
    },
  });
  const start = withPassword(t("twoFactor.start"), async (password) => {
    const setUp = await ask<SetUp>("POST", "/auth/two-factor/enable", { password });
    // Opens the next dialog only after this dialog has closed.
    setTimeout(() => setAsking(verifying(setUp)));
  });
  const stop = withPassword(t("twoFactor.stop"), async (password) => {
    await ask("POST", "/auth/two-factor/disable", { password });
    setCodes(undefined);
    await changed();
  });
  const renew = withPassword(t("twoFactor.renew"), async (password) => {
    const { backupCodes } = await ask<SetUp>("POST", "/auth/two-factor/generate-backup-codes", { password });
    setCodes(backupCodes);
  });
  return (
    <section className="card stack" aria-label={t("twoFactor.title")}>
      <h2>{t("twoFactor.title")}</h2>
      <p>{t(isOn ? "twoFactor.on" : "twoFactor.off")}</p>
      {codes && <BackupCodes codes={codes} done={() => setCodes(undefined)} />}
      <div className="row">
        {isOn ? (
          <>
            <Button onClick={() => setAsking(renew)}>{t("twoFactor.renew")}</Button>
            <Button tone="bad" onClick={() => setAsking(stop)}>
              {t("twoFactor.stop")}
            </Button>
          </>
        ) : (
          <Button onClick={() => setAsking(start)}>{t("twoFactor.start")}</Button>
        )}
      </div>
      {asking && <ConfirmDialog key={asking.text} asking={asking} close={() => setAsking(undefined)} />}
    </section>
  );
}

function BackupCodes({ codes, done }: { codes: string[]; done(): void }) {
  const t = useTexts(team);
  const text = codes.join("\n");
  return (
    <div className="stack" role="status">
      <h3>{t("twoFactor.codes")}</h3>
      <p>{t("twoFactor.codesText")}</p>
      <code className="secret codes" data-testid="backup-codes">
        {text}
      </code>
      <div className="row">
        <CopyButton value={text} className="button button-main" />
        <Button onClick={done}>{t("twoFactor.kept")}</Button>
      </div>
    </div>
  );
}
