// `npm run keys -- merchants`: manages merchants and their profiles, which contain the details that payers
// see and the hosts to which they can be redirected.
import { type Address, isAddress } from "viem";
import type { Database } from "#core/db/client.ts";
import { parseReturnHost } from "#core/merchants/return-urls.ts";
import type { Mode } from "#core/model/mode.ts";
import { refuse } from "../../shared/command-line.ts";
import { UserError } from "../../shared/errors.ts";
import { formatTable } from "../../shared/format-table.ts";
import {
  createMerchant,
  listMerchants,
  type Merchant,
  type Profile,
  updateMerchant,
} from "../../shared/merchants.ts";

type Given = {
  name?: string | undefined;
  account?: string | undefined;
  logo?: string | undefined;
  support?: string | undefined;
  "return-hosts"?: string | undefined;
};

type Context = {
  mode: () => Mode;
  findMerchant: (database: Database) => Promise<Merchant>;
  answer: (json: object, text: string) => void;
};

const LONGEST = 2048;

function requireAddress(text = ""): Address {
  return isAddress(text) ? text : refuse("--account must be the merchant's on-chain address: 0x….");
}

function logoIn(text: string): string | null {
  if (text === "") return null;
  const isHttps = URL.canParse(text) && new URL(text).protocol === "https:" && !/\s/.test(text);
  return isHttps && text.length <= LONGEST
    ? text
    : refuse(`--logo must be an https URL of at most ${LONGEST} characters, not '${text}'.`);
}

function supportIn(text: string): string | null {
  if (text === "") return null;
  return /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(text) && text.length <= 254
    ? text
    : refuse(`--support must be an email address, not '${text}'.`);
}

function hostsIn(text: string): string[] {
  const hosts = text === "" ? [] : text.split(",");
  return [
    ...new Set(
      hosts.map(
        (host) =>
          parseReturnHost(host.trim()) ??
          refuse(
            `--return-hosts must be hosts such as shop.example.com, separated by commas, not '${host}'.`,
          ),
      ),
    ),
  ];
}

function profileIn({ logo, support, "return-hosts": hosts }: Given): Partial<Profile> {
  const profile = {
    ...(logo === undefined ? {} : { logoUrl: logoIn(logo) }),
    ...(support === undefined ? {} : { supportEmail: supportIn(support) }),
    ...(hosts === undefined ? {} : { returnHosts: hostsIn(hosts) }),
  };
  if (Object.keys(profile).length > 0) return profile;
  return refuse("Specify at least one change: --logo, --support or --return-hosts.");
}

/**
 * Validates the options and returns a function that carries out the action. If an option is invalid, exits
 * the process before it connects to the database.
 */
export function manageMerchants(action: string, given: Given, { mode, findMerchant, answer }: Context) {
  const actions: Record<string, () => (database: Database) => Promise<void>> = {
    create() {
      const name = given.name || refuse("Specify the merchant's name: --name NAME.");
      const account = requireAddress(given.account);
      return async (database) => {
        const made = await createMerchant(database, { name, account });
        if (!made) throw new UserError(`Merchant '${name}' already exists.`);
        answer(made, `${made.id}: ${made.name}, paid to ${made.account}`);
      };
    },
    update() {
      const profile = profileIn(given);
      return async (database) => {
        const { id } = await findMerchant(database);
        const updated = await updateMerchant(database, id, profile, mode());
        const shown = [updated.logoUrl, updated.supportEmail, ...updated.returnHosts].filter(Boolean);
        answer(updated, `${updated.id}: ${[updated.name, ...shown].join(", ")}`);
      };
    },
  };
  const prepare = actions[action];
  if (prepare) return prepare();
  return async (database: Database) => {
    const all = await listMerchants(database);
    const rows = all.map(({ id, name, account, returnHosts }) => [id, name, account, returnHosts.join(" ")]);
    answer(all, formatTable(["id", "name", "account", "return hosts"], rows));
  };
}
