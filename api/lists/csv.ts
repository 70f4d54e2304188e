// CSV (RFC 4180) that is safe to open in a spreadsheet: values that look like formulas are marked as text.

const FORMULA = /^[=+\-@\t\r]/;

/** Formats a cell. A leading apostrophe makes spreadsheets treat a value as text (OWASP, "CSV Injection"). */
function formatCell(value: string | number | null): string {
  const plain = value === null ? "" : String(value);
  const text = typeof value === "string" && FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const formatLine = (cells: (string | number | null)[]): string =>
  `${cells.map(formatCell).join(",")}\r\n`;
