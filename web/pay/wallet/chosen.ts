// The wallet that the payer chose before the wallet's part of the page was loaded.
import { createContext } from "react";

/** Handed out once: a payer who disconnects later is not connected again. */
export class ChosenWallet {
  constructor(private id: string | undefined) {}

  take(): string | undefined {
    const { id } = this;
    this.id = undefined;
    return id;
  }
}

export const Chosen = createContext(new ChosenWallet(undefined));
