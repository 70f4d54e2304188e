// `gateway completion`: prints a shell function for the command that works in every folder, with completions generated
// from its help.
import { root } from "../../shared/paths.ts";
import { HELP, KINDS } from "./help.ts";

const FORMS = [...HELP.matchAll(/^ {2}npm run gateway -- (.*?)(?: {2,}.*)?$/gm)].map(
  ([, usage = ""]) => usage,
);
const unique = (words: string[]): string => [...new Set(words)].join(" ");
const OPTIONS = unique([...HELP.matchAll(/--[a-z][\w-]+/g)].map(([option]) => option));
const FIRST = unique(FORMS.map((form) => form.split(" ")[0] ?? ""));

const SECOND: Record<string, string> = {
  trigger: KINDS.join(" "),
  events: "tail",
  clock: "advance",
  completion: "bash zsh",
};

/** Quotes a path that may contain spaces or quotes. */
const ROOT = `'${root.replaceAll("'", "'\\''")}'`;

const BASH = `gateway() { node ${ROOT}/scripts/bootstrap.mjs gateway "$@"; }
_gateway() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [[ "$word" == -* ]]; then words="${OPTIONS}"
  elif [[ $COMP_CWORD -eq 1 ]]; then words="${FIRST}"
  elif [[ $COMP_CWORD -eq 2 ]]; then
    case "\${COMP_WORDS[1]}" in
${Object.entries(SECOND)
  .map(([first, words]) => `      ${first}) words="${words}" ;;`)
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _gateway gateway`;

/** zsh uses the bash completions. */
export const COMPLETIONS = {
  bash: BASH,
  zsh: `autoload -U +X bashcompinit && bashcompinit\n${BASH}`,
} as const;
