/**
 * The destination of a payment whose bank account is not in a restored database (npm run ops -- recover). No request
 * can name it: it is empty. Nothing is ordered for it.
 */
export const LOST_DESTINATION = "";
