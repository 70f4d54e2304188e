// A form's fields, each with its label.
import type { ComponentProps } from "react";
import { useTexts } from "../../i18n/language.tsx";
import { dashboard } from "./texts.ts";

type FieldProps = Omit<ComponentProps<"input">, "name" | "value" | "defaultValue"> & {
  name: string;
  label: string;
  /** The initial value. */
  value?: string | undefined;
  /** A text below the input that explains it. */
  hint?: string;
};

export function Field({ name, label, id = `field-${name}`, value = "", hint, ...input }: FieldProps) {
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        type="text"
        {...input}
        className="input"
        id={id}
        name={name}
        defaultValue={value}
        aria-describedby={hint === undefined ? undefined : hintId}
      />
      {hint !== undefined && (
        <p id={hintId} className="small soft">
          {hint}
        </p>
      )}
    </div>
  );
}

/**
 * @param words returns an option's label; by default, the option itself
 * @param value if undefined, the first option is selected
 */
export function Choice({
  name,
  label,
  options,
  value,
  words = (option) => option,
  any = true,
  required = false,
}: {
  name: string;
  label: string;
  options: readonly string[];
  value?: string | undefined;
  words?(option: string): string;
  /** Whether "any" is an option. */
  any?: boolean;
  /** Whether the user must select an option; no option is preselected. */
  required?: boolean;
}) {
  const t = useTexts(dashboard);
  return (
    <div className="field">
      <label htmlFor={`field-${name}`}>{label}</label>
      <select
        className="input"
        id={`field-${name}`}
        name={name}
        required={required}
        defaultValue={value ?? (any || required ? "" : options[0])}
      >
        {(any || required) && <option value="">{t(required ? "choose" : "filter.any")}</option>}
        {options.map((option) => (
          <option key={option} value={option}>
            {words(option)}
          </option>
        ))}
      </select>
    </div>
  );
}
