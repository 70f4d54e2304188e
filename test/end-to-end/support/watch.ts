// Polls an intent continuously while parts of the gateway are down. Every response must be correct or missing.
import { expect } from "chai";
import type { Client, ErrorBody, Intent } from "../../api/support/client.ts";

const ORDER = ["INITIATED", "PROCESSING", "SUCCEEDED", "SETTLED", "FINAL"];

/** A wrong response would be visible for longer than this. The pause leaves CPU time to recovering processes. */
const PAUSE_MS = 50;

export type Seen = { answers: number; unavailable: number; refused: number };

export type Watch = {
  seen: Seen;
  /** Stops polling. Throws if a response was wrong. */
  stop(): Promise<Seen>;
};

/**
 * @param from the current status of the intent; no response may show an earlier status, nor one earlier than a previous
 * response
 */
export function watch(client: Client, id: string, from: string): Watch {
  const seen: Seen = { answers: 0, unavailable: 0, refused: 0 };
  let stopped = false;
  let rank = ORDER.indexOf(from);

  async function ask(): Promise<void> {
    const answer = await client.get<Intent | ErrorBody>(`/payment-intents/${id}`).catch(() => undefined);
    if (!answer) seen.refused++;
    else if (answer.status === 503) {
      seen.unavailable++;
      const { error } = answer.body as ErrorBody;
      expect(error).to.include({ code: "service_unavailable", type: "api_error" });
      expect(Number(answer.headers.get("retry-after"))).to.be.above(0);
    } else {
      seen.answers++;
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      const { status } = answer.body as Intent;
      expect(ORDER.indexOf(status), `${status} after ${ORDER[rank]}`).to.be.at.least(rank);
      rank = ORDER.indexOf(status);
    }
  }

  const done = (async () => {
    while (!stopped) {
      await ask();
      await Bun.sleep(PAUSE_MS);
    }
  })();
  // The caller that stops the watch receives the error.
  done.catch(() => undefined);
  return {
    seen,
    async stop() {
      stopped = true;
      await done;
      return seen;
    },
  };
}
