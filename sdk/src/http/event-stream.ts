// Reads server-sent events from a response body.
import { ConnectionError } from "./errors.ts";

/** The gateway sends a comment every 15 s, so a longer silence means that the connection is dead. */
const SILENCE_MS = 45_000;

/** Yields the data of each event until the stream ends. @throws ConnectionError if nothing arrives for 45 s */
export async function* readEvents(response: Response): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = block.split(/\r?\n/).filter((line) => line.startsWith("data:"));
        if (data.length > 0) yield data.map((line) => line.slice("data:".length).trimStart()).join("\n");
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function withinSilence<T>(reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ConnectionError("The event stream sent nothing for 45 s.")),
      SILENCE_MS,
    );
    reading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
