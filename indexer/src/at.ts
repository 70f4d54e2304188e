// Columns that store where and when an event occurred.
type Located = {
  block: { number: bigint; hash: `0x${string}`; timestamp: bigint };
  transaction: { hash: `0x${string}` };
};

/** The columns that identify the last change of an order. */
export const updatedBy = ({ block, transaction }: Located) => ({
  updatedAt: block.timestamp,
  updatedBlock: block.number,
  updatedBlockHash: block.hash,
  updatedTxHash: transaction.hash,
});

/** The columns that identify the last change of an order by anything other than a transfer of released funds. */
export const operatedBy = (event: Located) => ({
  ...updatedBy(event),
  operationTxHash: event.transaction.hash,
});

/** The columns of a row that never changes. */
export const recordedBy = ({ block, transaction }: Located) => ({
  block: block.number,
  txHash: transaction.hash,
});
