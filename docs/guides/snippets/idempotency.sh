# The second request is a retry: it makes no second payment, and gets the first one's answer.
for attempt in 1 2; do
  curl -s "$GATEWAY_URL/payment-intents" \
    -H "X-API-Key: $GATEWAY_KEY" -H "Content-Type: application/json" \
    -H "Idempotency-Key: order-$ORDER" \
    -d '{
      "amount": "20.00",
      "currency": "USDC",
      "type": "DELIVERY_VS_PAYMENT",
      "settlementMethod": "OFF_RAMP_MOCK",
      "settlementDestination": "bank_account_123"
    }'
done
