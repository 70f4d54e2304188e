/** Returns Unix seconds, without the fraction. */
export const toUnixSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1_000);
