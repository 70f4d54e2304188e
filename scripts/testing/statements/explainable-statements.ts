// Converts recorded statements to statements that `EXPLAIN` accepts.

/** Statements that have a plan. Others (transactions, settings, definitions, COPY) do not read a table by a condition. */
const PLANNED = /^\s*\(*\s*(?:select|insert|update|delete|merge|with|values)\b/i;

/** Returns the plannable statements of a text, which may contain several separated by semicolons. */
export function plannedStatements(text: string): string[] {
  return split(text.replace(/--[^\n]*/g, "")).filter((statement) => PLANNED.test(statement));
}

/** Quoted text, a quoted name, dollar-quoted text, or a semicolon. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$[a-z_]*\$)[\s\S]*?\1|;/gi;

function split(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token !== ";") continue;
    parts.push(text.slice(from, index));
    from = index + 1;
  }
  return [...parts, text.slice(from)];
}

/** Inlines the parameters whose values a plan may use, except those compared with an id. */
export function withConstants(statement: string, constants: Record<number, string | boolean>): string {
  return statement.replace(/(_id"? = )?\$(\d+)\b/g, (parameter, id: string | undefined, number: string) => {
    const value = constants[Number(number)];
    return value === undefined || id !== undefined ? parameter : `'${value}'`;
  });
}

/** Replaces the indexer's schema, which differs per chain and build, with the given schema. */
export function inSchema(statement: string, schema: string): string {
  return statement.replace(/\bchain_[0-9a-f]{8}_[0-9a-f]+_[0-9a-f]+\b/g, schema);
}
