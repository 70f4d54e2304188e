// The payment page: the payee, the description, and the steps to pay.
import { mount } from "../ui/mount.tsx";
import { intentOfAddress } from "./intent-of-address.ts";
import type { Checkout } from "./payment/checkout.ts";
import { PaymentPage } from "./payment-page.tsx";

/** Reads the data that the server rendered into the document (api/web/payment-document.ts). */
function firstCheckout(): Checkout | undefined {
  const text = document.getElementById("checkout")?.textContent;
  return text ? (JSON.parse(text) as Checkout) : undefined;
}

const id = intentOfAddress(location.search);
mount(<PaymentPage id={id} first={firstCheckout()} />, id);
