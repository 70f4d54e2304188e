// The committed OpenAPI document (docs/openapi.json), with its references resolved.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Schema = { [keyword: string]: unknown };
export type Example = { value: unknown };
export type Content = { schema: Schema; example?: unknown; examples?: Record<string, Ref<Example>> };
export type Header = { required?: boolean; schema: Schema };
export type Parameter = { name: string; in: string; required?: boolean; schema: Schema; example?: unknown };
export type Ref<T> = T | { $ref: string };

export type Response = {
  headers?: Record<string, Ref<Header>>;
  content?: Record<string, Content>;
};

export type Operation = {
  operationId?: string;
  summary: string;
  tags: string[];
  security?: object[];
  parameters?: Ref<Parameter>[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Ref<Response>>;
};

export type OpenApiDocument = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Ref<{ post: Operation }>>;
  components: Record<string, Record<string, never>>;
};

export const DOCUMENT_FILE = join(import.meta.dirname, "../../docs/openapi.json");

export const openApiDocument: OpenApiDocument = JSON.parse(readFileSync(DOCUMENT_FILE, "utf8"));

/** Resolves a reference. Other values are returned unchanged. @throws Error for a dangling reference */
export function resolved<T>(value: Ref<T>): T {
  if (typeof value !== "object" || value === null || !("$ref" in value)) return value as T;
  let target: unknown = openApiDocument;
  for (const part of value.$ref.split("/").slice(1)) {
    target = (target as Record<string, unknown> | undefined)?.[part];
  }
  if (target === undefined) throw new Error(`The document has nothing at ${value.$ref}.`);
  return resolved(target as Ref<T>);
}

/** Returns a schema without references, for generating values. No schema refers to itself. */
export function expanded(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    typeof value?.$ref === "string" ? expanded(resolved<Schema>(value)) : value,
  );
}
