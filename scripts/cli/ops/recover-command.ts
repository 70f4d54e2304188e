// Validates the arguments and prints the output of `npm run ops -- recover`.
import { isNobody } from "#core/controls/same-person.ts";
import type { Database } from "#core/db/client.ts";
import { createRecovery } from "#settlement/recovery/recover.ts";
import type { Repair } from "#settlement/recovery/repair.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import { gatewayConfig } from "../shared/gateway-config.ts";
import type { Row } from "./lists.ts";
import { openRecoveryContext, recover, requireIndexed } from "./recover.ts";

type Given = {
  days: string;
  head?: string | undefined;
  apply: boolean;
  by: string;
  reason?: string | undefined;
};
type Printer = { answer(json: object, text: string): void; show(title: string, rows: Row[]): string };

/** A note about payments that neither the chain nor the providers know. */
const UNFUNDED =
  "Lost payments that were never funded are not included: their merchants' repeated requests create them again, under other ids. " +
  "If one is funded later, another run finds it, until its funding deadline has passed.";

const named = ({ kind, about, says, does }: Repair): Row => ({ kind, about, says, does });

export async function recoverCommand(
  database: Database,
  options: Given,
  { answer, show }: Printer,
): Promise<void> {
  const days = Number(options.days);
  if (!(days > 0)) throw new UsageError("--days must be a number above zero.");
  if (options.head !== undefined && !/^[0-9a-f]{64}$/.test(options.head)) {
    throw new UsageError("--head must be 64 hexadecimal digits, as printed by npm run audit verify.");
  }
  const scope = { since: new Date(Date.now() - days * 86_400_000), auditHead: options.head };
  const { by, reason = "" } = options;
  if (options.apply && (isNobody(by) || !/\S/.test(reason))) {
    throw new UsageError("--apply requires --by NAME, the person who decides, and --reason TEXT.");
  }
  const context = await openRecoveryContext(gatewayConfig(), database);
  try {
    await requireIndexed(context);
    if (!options.apply) {
      const found = await createRecovery(context, scope).find();
      const repairs = found.filter(({ acknowledged }) => !acknowledged).map(named);
      const acknowledged = found.filter((one) => one.acknowledged).map(named);
      const shown = [show("To be repaired", repairs)];
      if (acknowledged.length > 0) shown.push(show("Acknowledged", acknowledged));
      return answer({ repairs, acknowledged }, [...shown, UNFUNDED].join("\n\n"));
    }
    const { applied, left, differences, acknowledged, waiting } = await recover(context, scope, {
      by,
      reason,
    });
    const result = { applied: applied.map(named), left: left.map(named), differences, acknowledged, waiting };
    const rows = (found: { id: number; kind: string; says: string }[]) =>
      found.map(({ id, kind, says }) => ({ id, kind, says }));
    answer(
      result,
      [
        show("Repaired", result.applied),
        show("Left", result.left),
        show("Differences", rows(differences)),
        show("Acknowledged", rows(acknowledged)),
        ...waiting.map((id) => `A second person must run: npm run ops -- approve ${id} --by NAME`),
      ].join("\n\n"),
    );
    const clean = differences.length === 0 && left.length === 0;
    if (!clean) throw new UserError("The recovery is not complete: see above.");
  } finally {
    await context.close();
  }
}
