// Prints the command's results as text, or with --json as one JSON object per line.
export type Output = { show(value: object, text: string): void };

export const createOutput = (json: boolean): Output => ({
  show: (value, text) => console.log(json ? JSON.stringify(value) : text),
});
