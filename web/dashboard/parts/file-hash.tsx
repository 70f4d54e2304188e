// A file input that sends only the file's hash. The browser reads the file, which never leaves the user's device.
import { useId, useState } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { HexValue } from "../../ui/hex.tsx";
import { dashboard } from "./texts.ts";

async function sha256(file: File): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return `0x${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** @param name the name of the hidden field that holds the 32-byte SHA-256 hash, empty until a file is chosen */
export function FileHash({
  name,
  label,
  required = false,
}: {
  name: string;
  label: string;
  required?: boolean;
}) {
  const t = useTexts(dashboard);
  const id = useId();
  const [hash, setHash] = useState("");
  const choose = async (file: File | undefined) => setHash(file ? await sha256(file) : "");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        className="input"
        id={id}
        type="file"
        required={required}
        onChange={({ target }) => choose(target.files?.[0])}
      />
      <input type="hidden" name={name} value={hash} />
      <span className="small soft" role="status">
        {hash === "" ? (
          t("evidence.stays")
        ) : (
          <>
            {t("evidence.hash")} <HexValue value={hash} />
          </>
        )}
      </span>
    </div>
  );
}
