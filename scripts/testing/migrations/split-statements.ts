// Splits a migration into statements, precisely enough to recognize each one's effect: comments are separate, and the
// content of strings, quoted names and function bodies cannot be mistaken for SQL.

export type Statement = {
  /** The line where the statement begins, starting at 1. */
  line: number;
  /** The statement in upper case. Strings are empty, quoted names are `"<hex>"`, bodies between `$$` are omitted. */
  text: string;
  /** The bodies between `$$`. */
  bodies: string[];
  /** Comments between the previous statement and this one, and comments inside this one. */
  comments: string[];
};

/** drizzle-kit's separator, which requires no preceding semicolon. */
const BREAKPOINT = /^-->\s*statement-breakpoint/;

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\b[eE]'(?:\\[\s\S]|''|[^'\\])*'|'(?:''|[^'])*'|"(?:""|[^"])*"|(\$(?:[A-Za-z_]\w*)?\$)([\s\S]*?)\1|;|\s+|[\w]+|[\s\S]/g;

/** Encodes a name as in `text`, regardless of how it was written. */
export const encodeName = (name: string): string => `"${Buffer.from(name).toString("hex")}"`;

/** Never throws, because PostgreSQL itself rejects invalid SQL. */
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
