// Tests how spreadsheets interpret an export.
import { describe, expect, test } from "bun:test";
import { formatLine } from "./csv.ts";

describe("a line of CSV", () => {
  test("contains text, numbers and empty cells", () => {
    expect(formatLine(["a", 1, null, "b"])).toBe("a,1,,b\r\n");
  });

  test("quotes special characters", () => {
    expect(formatLine(['say "hi"', "a,b", "two\nlines"])).toBe('"say ""hi""","a,b","two\nlines"\r\n');
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])(
    "escapes a cell that begins with %p, so that it is not a formula",
    (text) => {
      expect(formatLine([text])).toBe(`"'${text}"\r\n`);
    },
  );

  test("leaves negative numbers unchanged", () => {
    expect(formatLine([-1])).toBe("-1\r\n");
  });
});
