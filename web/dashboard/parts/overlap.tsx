// How long an old secret stays valid after a rotation.
import { useTexts } from "../../i18n/language.tsx";
import { Choice } from "./field.tsx";
import { dashboard } from "./texts.ts";

/** Selectable overlaps, in seconds. */
const OVERLAPS = ["0", "3600", "86400", "604800"] as const;
type Overlap = (typeof OVERLAPS)[number];

export function OverlapChoice({ label }: { label: string }) {
  const t = useTexts(dashboard);
  return (
    <Choice
      name="overlap"
      label={label}
      options={OVERLAPS}
      value="86400"
      words={(one) => t(`overlap.${one as Overlap}`)}
      any={false}
    />
  );
}

/** Returns the body of a rotation request with the selected overlap. */
export const readOverlap = (form: FormData) => ({ overlap: Number(form.get("overlap")) });
