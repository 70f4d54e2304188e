// Describes how an audit log entry changed a payment, a payout or a key.
import { useTexts } from "../../i18n/language.tsx";
import { statusTexts } from "./status-texts.ts";

const isKnown = (key: string): key is keyof typeof statusTexts => key in statusTexts;

export function useChange() {
  const s = useTexts(statusTexts);
  const describeStatus = (status: string): string => {
    const key = [`intent.${status}`, `settlement.${status}`, `key.${status}`].find(isKnown);
    return key === undefined ? status : s(key);
  };
  return (from: string | null, to: string): string =>
    from === null || from === to ? describeStatus(to) : `${describeStatus(from)} → ${describeStatus(to)}`;
}
