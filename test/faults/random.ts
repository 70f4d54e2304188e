// Reproducible random numbers: the same seed produces the same numbers.
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

export class Random {
  readonly #generator;

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed);
    // Skips the first numbers, which are similar for similar seeds.
    for (let i = 0; i < 16; i++) this.#generator.next();
  }

  /** Returns an integer within the bounds, both inclusive. */
  integer(least: number, most: number): number {
    return uniformInt(this.#generator, least, most);
  }

  /** @param chance from 0 to 1 */
  happens(chance: number): boolean {
    return this.integer(1, 1_000_000) <= chance * 1_000_000;
  }

  one<T>(of: readonly T[]): T {
    const index = this.integer(0, of.length - 1);
    return of[index] as T;
  }

  shuffled<T>(of: readonly T[]): T[] {
    const left = [...of];
    const drawn: T[] = [];
    while (left.length > 0) drawn.push(...left.splice(this.integer(0, left.length - 1), 1));
    return drawn;
  }

  /** Returns 32 random bytes as hex. */
  word(): `0x${string}` {
    const parts = Array.from({ length: 8 }, () => this.integer(0, 0xffff_ffff).toString(16).padStart(8, "0"));
    return `0x${parts.join("")}`;
  }
}
