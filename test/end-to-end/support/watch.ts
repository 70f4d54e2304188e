// Polls an intent continuously while parts of the gateway are down: every response is correct, or there is none.
import { expect } from "chai";
import type { Client, ErrorBody, Intent } from "../../api/support/client.ts";

const ORDER = ["INITIATED", "PROCESSING", "SUCCEEDED", "SETTLED", "FINAL"];

/** Wrong responses would last longer, and recovering processes need CPU time too. */
const PAUSE_MS = 50;

export type Seen = { answers: number; unavailable: number; refused: number };

export type Watch = {
  seen: Seen;
  /** Ends the watch; throws if a response was wrong. */
  stop(): Promise<Seen>;
};

/**
 * @param from the status that the intent has reached: no response may show an earlier one, or one earlier than a
 * previous response
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
