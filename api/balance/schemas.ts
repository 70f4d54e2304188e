// Schema of a merchant's balance: the ledger's amounts, grouped by where the funds are.
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
    pending: inEachCurrency("Held by the escrow, whether released or not."),
    inTransit: inEachCurrency(
      "Settled and on its way to the bank, including payouts that the bank returned.",
    ),
    paid: inEachCurrency("Paid out so far."),
    fees: inEachCurrency("Fees charged by providers so far."),
    gas: inEachCurrency("Network fees charged by providers so far."),
    delivered: Type.Array(
      Type.Object(
        {
          amount: amountField("In this currency", "92.15"),
          currency: Type.String({ description: "ISO 4217.", examples: ["EUR"] }),
        },
        { title: "DeliveredMoney" },
      ),
      { description: "Received by banks so far, in their currencies, as reported by providers." },
    ),
    withdrawn: inEachCurrency("Withdrawn on chain by the merchant's account so far."),
    returned: inEachCurrency("Returned to payers so far."),
  },
  { title: "Balance" },
);
