// Holds the wallet that the payer chose before the wallet section of the page was loaded.
import { createContext } from "react";

/** Returns the wallet's id only once, so that a payer who disconnects later is not reconnected. */
export class ChosenWallet {
  constructor(private id: string | undefined) {}

  take(): string | undefined {
    const { id } = this;
    this.id = undefined;
    return id;
  }
}

export const Chosen = createContext(new ChosenWallet(undefined));
