// Whether the payer's money has reached the escrow. The API shows an order as PENDING before that as well.
import type { Schemas } from "#sdk/index.ts";

export const isFunded = ({
  createTxHash,
}: Pick<Schemas["ConditionalPayment"]["data"], "createTxHash">): boolean => createTxHash !== null;
