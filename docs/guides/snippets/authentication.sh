# Three ways to send the same key.
curl -s "$GATEWAY_URL/account" -H "X-API-Key: $GATEWAY_KEY"
curl -s "$GATEWAY_URL/account" -H "Authorization: Bearer $GATEWAY_KEY"
curl -s "$GATEWAY_URL/account" -u "$GATEWAY_KEY:"
