// Opens the providers for a command. A provider may be unavailable; the error then names its account.
import type { Config } from "#core/config/config.ts";
import type { Database } from "#core/db/client.ts";
import { describe } from "#core/log.ts";
import type { OffRamp, OffRamps } from "#settlement/off-ramp/off-ramp.ts";
import { openOffRamps } from "#settlement/off-ramp/open-off-ramps.ts";
import { UserError } from "../../shared/errors.ts";

/** Wraps an account's adapter so that its errors name the account. Commands order nothing through it. */
function nameErrors(offRamp: OffRamp): OffRamp {
  const named = (error: unknown) =>
    new UserError(
      `The provider of the account "${offRamp.account}" did not return a usable response (${describe(error)}).`,
    );
  const ask = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw named(error);
    });
  return {
    ...offRamp,
    ...(offRamp.verify ? { verify: () => ask(offRamp.verify?.() ?? Promise.resolve()) } : {}),
    lookUp: (reference, known) => ask(offRamp.lookUp(reference, known)),
    cancel: (reference, known) => ask(offRamp.cancel(reference, known)),
    async *transfers(asked) {
      try {
        yield* offRamp.transfers(asked);
      } catch (error) {
        throw named(error);
      }
    },
  };
}

/** Opens the adapters of the configured accounts, as the roles do, with errors that name the account. */
export async function openNamedOffRamps(config: Config, database: Database): Promise<OffRamps> {
  const offRamps = await openOffRamps(config, database);
  const named = new Map<OffRamp, OffRamp>();
  const name = (offRamp: OffRamp): OffRamp => {
    const known = named.get(offRamp) ?? nameErrors(offRamp);
    named.set(offRamp, known);
    return known;
  };
  const all = offRamps.all?.map(name);
  return Object.assign(
    ((method) => {
      const offRamp = offRamps(method);
      return offRamp && name(offRamp);
    }) satisfies OffRamps,
    all ? { all } : {},
  );
}
