// Whether payments move real funds.

/** Test and live data never mix, because live networks have their own databases. */
export type Mode = "test" | "live";
