// How a bench says what it has measured.

/** One line, under a short name. */
export const say = (name: string, text: string): void => console.log(`${name.padEnd(12)}${text}`);

export const verdict = (met: boolean): string => (met ? "met" : "MISSED");

/** The least and the most of the values. */
export const spread = (values: number[], digits = 0): string =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
