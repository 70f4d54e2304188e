// The merchant: image or initial, name, and support contact.
import { useState } from "react";
import { useTexts } from "../i18n/language.tsx";
import type { Checkout } from "./payment/checkout.ts";
import { pay } from "./payment/texts.ts";

/** The merchant's image, or their initial if there is none or it does not load. */
export function MerchantImage({ data }: { data: Checkout["data"] }) {
  const [failed, setFailed] = useState(false);
  const { merchantName, merchantLogoUrl: url } = data;
  return url === null || failed ? (
    <span className="merchant-image" aria-hidden="true">
      {[...merchantName.trim()][0]?.toUpperCase()}
    </span>
  ) : (
    <img
      className="merchant-image"
      src={url}
      alt=""
      width="44"
      height="44"
      referrerPolicy="no-referrer"
      onError={() => setFailed(true)}
    />
  );
}

export function Support({ data }: { data: Checkout["data"] }) {
  const t = useTexts(pay);
  const { supportEmail: address, merchantName: merchant } = data;
  if (address === null) return null;
  return (
    <p className="small soft support">
      {t("support", { merchant })} <a href={`mailto:${address}`}>{address}</a>
    </p>
  );
}
