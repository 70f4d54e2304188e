// Records a key operation in the audit log, in the operation's transaction. The key itself is never recorded.
import { type Actor, recordAudit } from "../audit/record-audit.ts";
import type { Transaction } from "../db/client.ts";
import type { KeyRow, KeyState } from "./key-row.ts";

/**
 * The actor of changes to API keys, users and merchants on the command line. Operations of `npm run ops` record the
 * operator's name instead (`byOperations`).
 */
export const OPERATOR: Actor = { type: "system", id: null };

export const recordKey = (
  tx: Transaction,
  { id, merchantId, mode, access, name }: KeyRow,
  {
    actor,
    ...change
  }: { actor: Actor; action: "create" | "rotate" | "revoke"; from?: KeyState; to: KeyState },
): Promise<void> =>
  recordAudit(tx, [
    {
      merchantId,
      mode,
      actor,
      action: `api_key.${change.action}`,
      resourceId: id,
      from: change.from,
      to: change.to,
      metadata: { access, ...(name === null ? {} : { name }) },
    },
  ]);
