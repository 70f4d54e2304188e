// A filter chip that applies the selected option immediately.
import { useId } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { dashboard } from "./texts.ts";

/** @param value the selected option; undefined for any option */
export function ChipChoice({
  label,
  options,
  words = (option) => option,
  value,
  choose,
}: {
  label: string;
  options: readonly string[];
  words?(option: string): string;
  value: string | undefined;
  choose(option: string): void;
}) {
  const t = useTexts(dashboard);
  const id = useId();
  return (
    <span className={`chip ${value === undefined ? "" : "chip-on"}`}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value ?? ""} onChange={({ target }) => choose(target.value)}>
        <option value="">{t("filter.any")}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {words(option)}
          </option>
        ))}
      </select>
    </span>
  );
}
