// CSV (RFC 4180) that a spreadsheet may open: what looks like a formula is text.

const FORMULA = /^[=+\-@\t\r]/;

/** A cell. A leading apostrophe is what spreadsheets take for "this is text" (OWASP, "CSV Injection"). */
function formatCell(value: string | number | null): string {
  const plain = value === null ? "" : String(value);
  const text = typeof value === "string" && FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const formatLine = (cells: (string | number | null)[]): string =>
  `${cells.map(formatCell).join(",")}\r\n`;
