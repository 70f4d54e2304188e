// Loads a payment and its audit log. Both are refetched when the payment changes.
import type { Gateway } from "#sdk/index.ts";
import { useApi } from "../session/session.tsx";

export function usePayment(id: string) {
  const intent = useApi(`payment ${id}`, ({ paymentIntents }) => paymentIntents.retrieve(id), [id]);
  const readLog = ({ auditLogs }: Gateway) => auditLogs.list({ paymentIntentId: id, limit: 100 });
  const log = useApi(`log of ${id}`, intent.data && readLog, [id]);
  return { intent, log };
}
