import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Returns the number in an id such as `<orderId>-<n>`, which counts within the order, as text. */
export const numberInOrder = (id: SQLWrapper): SQL => sql`split_part(${id}, '-', 2)`;
