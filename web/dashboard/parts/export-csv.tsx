// Saves the rows that match a list's filters as a CSV file.
import { useState } from "react";
import type { Gateway } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { Button } from "../../ui/button.tsx";
import { useSigned } from "../session/session.tsx";
import { Problem } from "./problem.tsx";
import { dashboard } from "./texts.ts";

/** @param name the file's name */
export function ExportCsv({ name, read }: { name: string; read(gateway: Gateway): Promise<Response> }) {
  const t = useTexts(dashboard);
  const { api } = useSigned();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const save = async () => {
    setBusy(true);
    try {
      const url = URL.createObjectURL(await api((gateway) => read(gateway).then((csv) => csv.blob())));
      const link = Object.assign(document.createElement("a"), { href: url, download: name });
      link.click();
      URL.revokeObjectURL(url);
      setError(null);
    } catch (problem) {
      setError(problem as Error);
    }
    setBusy(false);
  };
  return (
    <div className="stack-tight">
      <Button onClick={save} busy={busy}>
        {t("settlements.export")}
      </Button>
      <Problem error={error} />
    </div>
  );
}
