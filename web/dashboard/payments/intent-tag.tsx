// A payment's status as a tag. One that succeeded but is disputed shows the dispute: nothing moves until it ends.
import type { Schemas } from "#sdk/index.ts";
import { useTexts } from "../../i18n/language.tsx";
import { StatusTag } from "../parts/tags.tsx";
import { statuses } from "../status-texts.ts";

export function IntentTag({ intent: { status, data } }: { intent: Schemas["PaymentIntent"] }) {
  const s = useTexts(statuses);
  return status === "SUCCEEDED" && data.disputed ? (
    <StatusTag status="DISPUTED">{s("order.DISPUTED")}</StatusTag>
  ) : (
    <StatusTag status={status}>{s(`intent.${status}`)}</StatusTag>
  );
}
