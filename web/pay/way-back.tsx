// The way back to the merchant: on once the payment has succeeded, and back while nothing is paid.
import { useTexts } from "../i18n/language.tsx";
import { type Checkout, isPayable } from "./checkout.ts";
import { pay } from "./texts.ts";

const SUCCEEDED: Checkout["status"][] = ["SUCCEEDED", "SETTLED", "FINAL"];

type Way = { url: string; text: "back.paid" | "back.unpaid" };

/** The merchant's address, naming the payment: the shop knows which one its customer comes back from. */
function withIntent(address: string, id: string): string {
  const url = new URL(address);
  url.searchParams.set("intent", id);
  return url.href;
}

/** @returns undefined while the payment is on its way, and where the merchant names no address */
export function wayBack(checkout: Checkout): Way | undefined {
  const { returnUrl, cancelUrl, order } = checkout.data;
  const isPaid = order !== null && SUCCEEDED.includes(checkout.status);
  const isUnpaid = isPayable(checkout) || (order === null && checkout.status === "CANCELED");
  const url = isPaid ? returnUrl : isUnpaid ? cancelUrl : null;
  // The page trusts no answer with more than a link.
  if (url === null || !/^https?:\/\//i.test(url)) return undefined;
  return isPaid ? { url: withIntent(url, checkout.id), text: "back.paid" } : { url, text: "back.unpaid" };
}

export function WayBack({ checkout }: { checkout: Checkout }) {
  const t = useTexts(pay);
  const way = wayBack(checkout);
  if (!way) return null;
  return (
    <p className="way-back no-print">
      <a
        href={way.url}
        rel="noreferrer"
        className={way.text === "back.paid" ? "button button-main button-big" : ""}
      >
        {t(way.text, { merchant: checkout.data.merchantName })}
      </a>
    </p>
  );
}
