// Whether payments move real funds.

/** Test and live data never mix: live networks have databases of their own. */
export type Mode = "test" | "live";
