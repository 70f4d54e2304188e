curl -s -o /dev/null -D - "$GATEWAY_URL/account" -H "X-API-Key: $GATEWAY_KEY"
