curl -s "$GATEWAY_URL/payment-intents?limit=2" -H "X-API-Key: $GATEWAY_KEY"
