// Prints the command's results: text for people, or with --json one object per line.
export type Output = { show(value: object, text: string): void };

export const createOutput = (json: boolean): Output => ({
  show: (value, text) => console.log(json ? JSON.stringify(value) : text),
});
