// Statements as they are sent, made into statements that `EXPLAIN` takes.

/** What a plan is made for; everything else (transactions, settings, definitions, COPY) reads no table by a condition. */
const PLANNED = /^\s*\(*\s*(?:select|insert|update|delete|merge|with|values)\b/i;

/** The statements with a plan in a text, which may have several, separated by semicolons. */
export function plannedStatements(text: string): string[] {
  return split(text.replace(/--[^\n]*/g, "")).filter((statement) => PLANNED.test(statement));
}

/** Quoted text, a quoted name, a text between dollar signs, a semicolon. */
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

/** Writes the parameters that a plan may know into the statement; what is compared with an id is none. */
export function withConstants(statement: string, constants: Record<number, string | boolean>): string {
  return statement.replace(/(_id"? = )?\$(\d+)\b/g, (parameter, id: string | undefined, number: string) => {
    const value = constants[Number(number)];
    return value === undefined || id !== undefined ? parameter : `'${value}'`;
  });
}

/** The indexer's tables have a schema for each chain and build; that of a database that has one. */
export function inSchema(statement: string, schema: string): string {
  return statement.replace(/\bchain_[0-9a-f]{8}_[0-9a-f]+_[0-9a-f]+\b/g, schema);
}
