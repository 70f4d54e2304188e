// The clock of a local chain, which tests advance explicitly.
import type { RequestOptions } from "../http/options.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer } from "../types/operations.ts";

export class TestClock {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  retrieve(options?: RequestOptions): Promise<Answer<"retrieveTestClock">> {
    return this.#transport.call("GET", "/test/clock", {}, options);
  }

  /**
   * Advances the clock. The locks, windows and deadlines of all payments of the gateway expire accordingly.
   * @throws ResourceMissingError on every network except a local one with TEST_CLOCK=on
   */
  advance(seconds: number, options?: RequestOptions): Promise<Answer<"advanceTestClock">> {
    return this.#transport.call("POST", "/test/clock/advance", { body: { seconds } }, options);
  }
}
