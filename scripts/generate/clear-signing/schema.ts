// The parts of ERC-7730's v2 schema that the published files use; erc7730-v2.schema.json has no npm package.
import { type Static, Type } from "@sinclair/typebox";

const strict = { additionalProperties: false };
const Path = Type.String({ pattern: "^[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*$" });
const path = Path;
const label = Type.String({ minLength: 1 });
const visible = Type.Optional(
  Type.Union([
    Type.Literal("never"),
    Type.Object({ ifNotIn: Type.Array(Type.Union([Type.String(), Type.Number()]), { minItems: 1 }) }, strict),
  ]),
);
const AddressType = Type.Union(["eoa", "contract", "token"].map((name) => Type.Literal(name)));

/** Each format has its own parameters. */
const field = <Name extends string, Params extends Record<string, ReturnType<typeof Type.Unsafe>>>(
  name: Name,
  params?: Params,
) =>
  Type.Object(
    {
      ...{ path, label, visible, format: Type.Literal(name) },
      ...(params === undefined ? {} : { params: Type.Object(params, strict) }),
    },
    strict,
  );

const Field = Type.Union([
  field("raw"),
  field("duration"),
  field("tokenTicker"),
  field("tokenAmount", { tokenPath: Path }),
  field("date", { encoding: Type.Literal("timestamp") }),
  field("addressName", { types: Type.Array(AddressType, { minItems: 1 }) }),
  field("enum", { $ref: Type.String({ pattern: "^\\$\\.metadata\\.enums\\.\\w+$" }) }),
]);

const deployments = Type.Array(
  Type.Object(
    { chainId: Type.Integer({ minimum: 1 }), address: Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" }) },
    strict,
  ),
);
const $id = Type.String();

const Context = Type.Object(
  {
    $id,
    contract: Type.Optional(Type.Object({ deployments }, strict)),
    eip712: Type.Optional(
      Type.Object(
        { domain: Type.Object({ name: Type.String(), version: Type.String() }, strict), deployments },
        strict,
      ),
    ),
  },
  { ...strict, minProperties: 2, maxProperties: 2 },
);

export const DescriptorFile = Type.Object(
  {
    $schema: Type.Literal("https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json"),
    context: Context,
    metadata: Type.Object(
      {
        owner: Type.String(),
        contractName: Type.String(),
        enums: Type.Record(Type.String(), Type.Record(Type.String({ pattern: "^\\d+$" }), Type.String())),
      },
      strict,
    ),
    display: Type.Object(
      {
        formats: Type.Record(
          // Canonical types, with one space before a name and no space after a comma.
          Type.String({ pattern: "^\\w+\\(((,?\\(*\\w+(\\[\\d*\\])* \\w+)(\\)(\\[\\d*\\])* \\w+)*)*\\)$" }),
          Type.Object(
            {
              intent: Type.String({ minLength: 1 }),
              interpolatedIntent: Type.Optional(Type.String()),
              fields: Type.Array(Field),
            },
            strict,
          ),
          strict,
        ),
      },
      strict,
    ),
  },
  strict,
);

type Described = {
  intent: string;
  interpolatedIntent?: string;
  fields: {
    path: string;
    label: string;
    format: string;
    params?: object;
    visible?: Static<typeof visible>;
  }[];
};

/** The type of a published file, simplified for tests: it does not include the schema's union of fields. */
export type DescriptorFile = Omit<Static<typeof DescriptorFile>, "display"> & {
  display: { formats: Record<string, Described> };
};
