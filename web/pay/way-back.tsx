// The link to the merchant: the return URL once the payment has succeeded, and the cancel URL while nothing is paid.
import { useTexts } from "../i18n/language.tsx";
import { type Checkout, isPayable } from "./payment/checkout.ts";
import { pay } from "./payment/texts.ts";

const SUCCEEDED: Checkout["status"][] = ["SUCCEEDED", "SETTLED", "FINAL"];

type Way = { url: string; text: "back.paid" | "back.unpaid" };

/** Returns the merchant's URL with the payment's id, which identifies the returning customer to the shop. */
function withIntent(address: string, id: string): string {
  const url = new URL(address);
  url.searchParams.set("intent", id);
  return url.href;
}

/** @returns undefined while the payment is in transit, or if the merchant set no URL */
export function wayBack(checkout: Checkout): Way | undefined {
  const { returnUrl, cancelUrl, order } = checkout.data;
  const isPaid = order !== null && SUCCEEDED.includes(checkout.status);
  const isUnpaid = isPayable(checkout) || (order === null && checkout.status === "CANCELED");
  const url = isPaid ? returnUrl : isUnpaid ? cancelUrl : null;
  // Does not rely on the API to validate the link's scheme.
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
