// Schema of a merchant's balance: the ledger's amounts by where the money is.
import { Type } from "@sinclair/typebox";
import { amountField, Livemode, objectField } from "../http/fields.ts";
import { Currency } from "../payment-intents/schemas.ts";

const Money = Type.Object(
  { amount: amountField("In this currency"), currency: Currency },
  { title: "Money" },
);

const inEachCurrency = (description: string) => Type.Array(Money, { description });

export const Balance = Type.Object(
  {
    object: objectField("balance"),
    livemode: Livemode,
    pending: inEachCurrency("Held by the escrow, released or not."),
    inTransit: inEachCurrency("Settled, on its way to the bank. Also what came back from there."),
    paid: inEachCurrency("Paid out so far."),
    fees: inEachCurrency("What providers kept of it so far."),
    gas: inEachCurrency("What providers kept of it for the network so far."),
    delivered: Type.Array(
      Type.Object(
        {
          amount: amountField("In this currency", "92.15"),
          currency: Type.String({ description: "ISO 4217.", examples: ["EUR"] }),
        },
        { title: "DeliveredMoney" },
      ),
      { description: "What has arrived at banks so far, in their currencies, as far as providers say." },
    ),
    withdrawn: inEachCurrency("Taken by the merchant's own account on chain so far."),
    returned: inEachCurrency("Given back to payers so far."),
  },
  { title: "Balance" },
);
