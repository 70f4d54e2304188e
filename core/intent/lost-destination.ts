/**
 * The destination of a payment whose bank account a restored database does not have (npm run ops -- recover). No request can
 * name it: it has no character. Nothing is ordered for it.
 */
export const LOST_DESTINATION = "";
