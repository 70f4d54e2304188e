curl -s "$GATEWAY_URL/test/clock/advance" \
  -H "X-API-Key: $GATEWAY_KEY" -H "Content-Type: application/json" \
  -d '{ "seconds": 86400 }'
