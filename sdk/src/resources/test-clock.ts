// A local chain's time, for tests, which passes when a test says so.
import type { Answer } from "../operations.ts";
import type { RequestOptions } from "../options.ts";
import type { Transport } from "../transport.ts";

export class TestClock {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  retrieve(options?: RequestOptions): Promise<Answer<"retrieveTestClock">> {
    return this.#transport.call("GET", "/test/clock", {}, options);
  }

  /**
   * Moves the time ahead: locks, windows and deadlines of every payment of the gateway pass.
   * @throws ResourceMissingError on every network but a local one with TEST_CLOCK=on
   */
  advance(seconds: number, options?: RequestOptions): Promise<Answer<"advanceTestClock">> {
    return this.#transport.call("POST", "/test/clock/advance", { body: { seconds } }, options);
  }
}
