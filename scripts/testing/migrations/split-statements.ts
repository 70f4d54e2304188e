// Splits a migration into statements, far enough to recognize what each does: comments are apart, and the content of
// strings, quoted names and function bodies cannot be mistaken for SQL.

export type Statement = {
  /** From 1: where the statement begins. */
  line: number;
  /** In upper case on one line; strings are empty, names that are quoted are `"<hex>"`, bodies between `$$` are left out. */
  text: string;
  /** What stands in `$$`. */
  bodies: string[];
  /** Comments before the statement, after the one before it, and inside it. */
  comments: string[];
};

/** drizzle-kit's separator, which needs no semicolon before it. */
const BREAKPOINT = /^-->\s*statement-breakpoint/;

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\b[eE]'(?:\\[\s\S]|''|[^'\\])*'|'(?:''|[^'])*'|"(?:""|[^"])*"|(\$(?:[A-Za-z_]\w*)?\$)([\s\S]*?)\1|;|\s+|[\w]+|[\s\S]/g;

/** A name as `text` has it, in whichever way it is written. */
export const encodeName = (name: string): string => `"${Buffer.from(name).toString("hex")}"`;

/** @throws never: what is not valid SQL is refused by PostgreSQL */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  const blank = (): Statement => ({ line: 0, text: "", bodies: [], comments: [] });
  let current = blank();
  let line = 1;
  const end = () => {
    current.text = current.text.trim();
    if (current.text !== "" || current.comments.length > 0) statements.push(current);
    current = blank();
  };
  const add = (text: string) => {
    if (current.line === 0) current.line = line;
    current.text += text;
  };
  for (const [token, , body] of sql.matchAll(TOKEN)) {
    if (BREAKPOINT.test(token)) end();
    else if (/^(--|\/\*)/.test(token)) current.comments.push(token);
    else if (token === ";") end();
    else if (body !== undefined) {
      add(" $$ ");
      current.bodies.push(body);
    } else if (/^\s/.test(token)) current.text += current.text === "" ? "" : " ";
    else if (/^[eE]?'/.test(token)) add("''");
    else if (token.startsWith('"')) add(encodeName(token.slice(1, -1).replaceAll('""', '"')));
    else add(token.toUpperCase());
    line += token.split("\n").length - 1;
  }
  end();
  return statements;
}
