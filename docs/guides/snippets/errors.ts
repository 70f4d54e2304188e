import { ApiError, Gateway, InvalidRequestError } from "@delivery-versus-payment/sdk";

const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL });

try {
  await gateway.paymentIntents.create({
    amount: "100.123456789",
    currency: "USDC",
    type: "DELIVERY_VS_PAYMENT",
    settlementMethod: "OFF_RAMP_MOCK",
    settlementDestination: "bank_account_123",
  });
} catch (error) {
  if (error instanceof InvalidRequestError) {
    console.log(`${error.code} in ${error.param}: ${error.message}`);
  } else if (error instanceof ApiError) {
    console.log(`${error.status} ${error.code}, request ${error.requestId}`);
  } else {
    throw error;
  }
}
