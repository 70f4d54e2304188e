/**
 * The destination of a payment whose bank account is missing from a restored database (npm run ops -- recover). It is
 * empty, so no request can name it, and no payout is ordered for it.
 */
export const LOST_DESTINATION = "";
