// Parses the arguments of every command. The help text of a command also defines its valid arguments. All other
// arguments are rejected before the command does anything.
//
// A help line that begins with two spaces and `npm` or `bun` is a usage. It consists of words, NAMES of arguments
// ([optional], [repeated…]) and options. A line that begins with two spaces and an option describes an option of every
// usage.
import { type ParseArgsConfig, parseArgs } from "node:util";
import { describe, errorCode, UsageError } from "./errors.ts";

export type Options = NonNullable<ParseArgsConfig["options"]>;

/** One usage of a command. */
type Form = { words: string[]; required: string[]; options: string[] };

const OPTIONAL = /\[--([\w-]+)[^\]]*\]/g;
const REQUIRED = /--([\w-]+) \S+/g;

/** @throws UsageError unless a usage in the help matches */
export function checkUsage(help: string, given: readonly string[], options: readonly string[]): void {
  const [, name = ""] = /^ {2}((?:npm (?:run )?|bun )\S+)/m.exec(help) ?? [];
  const forms = readForms(help);
  const reached = forms.map(({ words }) => countAccepted(words, given));
  const most = Math.max(...reached);
  const nearest = forms.filter((_, index) => reached[index] === most);
  const said = [name, ...given.slice(0, most)].join(" ");
  const unexpected = given[most];
  if (unexpected !== undefined) throw new UsageError(`'${said}' does not accept '${unexpected}'.`);
  const complete = nearest.filter(({ words }) => words.slice(most).every(isOptional));
  if (complete.length === 0) {
    const next = [...new Set(nearest.map(({ words }) => words[most]))];
    throw new UsageError(`'${said}' requires ${next.length > 1 ? "one of " : ""}${next.join(", ")}.`);
  }
  const shared = [...help.matchAll(/^ {2}--([\w-]+)/gm)].map(([, option = ""]) => option);
  const problems = complete.map((form) => {
    const missing = form.required.find((option) => !options.includes(option));
    const unknown = options.find((option) => ![...form.options, ...shared].includes(option));
    if (missing !== undefined) return `requires --${missing}`;
    return unknown === undefined ? undefined : `does not accept --${unknown}`;
  });
  if (!problems.includes(undefined)) throw new UsageError(`'${said}' ${problems[0]}.`);
}

function readForms(help: string): Form[] {
  // Two or more spaces separate a usage from its explanation.
  const lines = help.matchAll(/^ {2}(?:npm (?:run )?|bun )\S+(?: --(?= ))?(.*?)(?: {2,}.*)?$/gm);
  return [...lines].map(([, usage = ""]) => {
    const optional = [...usage.matchAll(OPTIONAL)].map(([, option = ""]) => option);
    const rest = usage.replace(OPTIONAL, "");
    const required = [...rest.matchAll(REQUIRED)].map(([, option = ""]) => option);
    const words = rest.replace(REQUIRED, "").split(" ").filter(Boolean);
    return { words, required, options: [...optional, ...required] };
  });
}

const isOptional = (word: string): boolean => word.startsWith("[");

/** Returns how many of the given words this usage accepts, counted from the first. */
function countAccepted(words: readonly string[], given: readonly string[]): number {
  const last = words.at(-1);
  const accepts = (text: string, index: number) => {
    const word = words[index] ?? (last?.includes("…") ? last : undefined);
    if (word === undefined) return false;
    const bare = word.replace(/[[\]…]/g, "");
    return /^[A-Z_]+$/.test(bare) ? text !== "" : text === bare;
  };
  const refused = given.findIndex((text, index) => !accepts(text, index));
  return refused < 0 ? given.length : refused;
}

/**
 * Parses the arguments. For `--help` and `-h`, prints the help and exits. If the arguments do not match the help, exits
 * with code 2.
 * @param options in the format of parseArgs, without `--help`
 */
export function parseCommand<const Known extends Options>(help: string, options: Known) {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    console.log(help);
    process.exit(0);
  }
  try {
    const parsed = parseArgs({ args, allowPositionals: true, tokens: true, options });
    const named = parsed.tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
    checkUsage(help, parsed.positionals, named);
    return parsed;
  } catch (error) {
    if (error instanceof UsageError) return refuse(`${error.message}\n\n${help}`);
    if (!(error instanceof Error) || !errorCode(error)?.startsWith("ERR_PARSE_ARGS")) throw error;
    // After the first sentence, parseArgs gives advice that does not apply to every command.
    const [sentence = ""] = error.message.split(/\.(?:\s|$)/);
    return refuse(`${sentence}.\n\n${help}`);
  }
}

/** Prints an error about invalid arguments and exits with code 2. */
export function refuse(sentence: string): never {
  return fail(new UsageError(sentence));
}

/** Prints an error and exits: with code 2 for a UsageError, otherwise with code 1. */
export function fail(error: unknown): never {
  console.error(describe(error));
  process.exit(error instanceof UsageError ? 2 : 1);
}

/** Returns the value of an option with fixed choices. Exits with code 2 for any other value. */
export function oneOf<Value extends string>(option: string, value: string, known: readonly Value[]): Value {
  const found = known.find((one) => one === value);
  return found ?? refuse(`--${option} must be one of ${known.join(", ")}.`);
}
