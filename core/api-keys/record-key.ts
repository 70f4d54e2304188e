// Records a key operation in the audit log, in the same transaction. The key itself is never recorded.
import { type Actor, recordAudit } from "../audit/record-audit.ts";
import type { Transaction } from "../db/client.ts";
import type { KeyRow, KeyState } from "./key-row.ts";

/** The gateway's operator, on the command line. */
export const OPERATOR: Actor = { type: "system", id: null };

export const recordKey = (
  tx: Transaction,
  { id, merchantId, mode, access, name }: KeyRow,
  { actor, ...did }: { actor: Actor; action: "create" | "rotate" | "revoke"; from?: KeyState; to: KeyState },
): Promise<void> =>
  recordAudit(tx, [
    {
      merchantId,
      mode,
      actor,
      action: `api_key.${did.action}`,
      resourceId: id,
      from: did.from,
      to: did.to,
      metadata: { access, ...(name === null ? {} : { name }) },
    },
  ]);
