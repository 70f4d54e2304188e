// Saves the rows that match a list's filters as a CSV file.
import type { Gateway } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { useSigned } from "../session/session.tsx";
import { Problem } from "./problem.tsx";
import { dashboard } from "./texts.ts";
import { useAttempt } from "./use-attempt.ts";

/** @param name the file's name */
export function ExportCsv({ name, read }: { name: string; read(gateway: Gateway): Promise<Response> }) {
  const t = useTexts(dashboard);
  const { api } = useSigned();
  const { error, busy, attempt } = useAttempt({ refetches: false });
  const save = () =>
    attempt(async () => {
      const url = URL.createObjectURL(await api((gateway) => read(gateway).then((csv) => csv.blob())));
      const link = Object.assign(document.createElement("a"), { href: url, download: name });
      link.click();
      URL.revokeObjectURL(url);
    });
  return (
    <div className="stack-tight">
      <Button onClick={save} busy={busy}>
        {t("settlements.export")}
      </Button>
      <Problem error={error} />
    </div>
  );
}
