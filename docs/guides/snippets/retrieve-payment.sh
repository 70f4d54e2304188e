curl -s "$GATEWAY_URL/payment-intents/$INTENT" -H "X-API-Key: $GATEWAY_KEY"
