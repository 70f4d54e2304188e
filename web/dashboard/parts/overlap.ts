// For how long an old secret stays valid beside a new one: what people choose from, in seconds.
export const OVERLAPS = ["0", "3600", "86400", "604800"] as const;
export type Overlap = (typeof OVERLAPS)[number];
