// A merchant's own checkout page, which can be served from any origin. It calls the gateway's public operations, which
// require no API key.
// Open it as /?gateway=https://pay.example.com/v1&intent=intent_…
import { Gateway, signIntent } from "@delivery-versus-payment/sdk";
import { createWalletClient, custom, type EIP1193Provider } from "viem";

const query = new URLSearchParams(location.search);
const intentId = query.get("intent") ?? "";
const gateway = new Gateway({ baseUrl: query.get("gateway") ?? undefined });

const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const button = byId("pay") as HTMLButtonElement;
const show = (text: string): void => {
  byId("status").textContent = text;
};

async function pay(): Promise<void> {
  const { ethereum } = window as { ethereum?: EIP1193Provider };
  if (!ethereum) throw new Error("There is no wallet in this browser.");
  const wallet = createWalletClient({ transport: custom(ethereum) });
  const [payerAddress] = await wallet.requestAddresses();
  // Smart accounts require typed data that names the payer.
  const intent = await gateway.publicPaymentIntents.retrieve(intentId, { payerAddress });
  show("Sign in your wallet.");
  await gateway.publicPaymentIntents.confirm(intentId, await signIntent(intent, wallet));
  show("The payment is on its way.");
  await gateway.paymentIntents.waitFor(intentId, "SUCCEEDED");
  show("Paid: your money is in escrow.");
}

const { data } = await gateway.publicPaymentIntents.retrieveCheckout(intentId);
byId("amount").textContent = `${data.amount} ${data.currency}`;
byId("payee").textContent = `to ${data.merchantName}`;
button.disabled = false;
button.addEventListener("click", () => {
  button.disabled = true;
  pay().catch((error: Error) => {
    show(error.message);
    button.disabled = false;
  });
});
