// Lists the merchant's API keys, newest first. The keys themselves can never be retrieved again.
import type { Static } from "@sinclair/typebox";
import { toKeyRow } from "#core/api-keys/key-row.ts";
import type { Call } from "../http/request-context.ts";
import { listOwn } from "../lists/own-rows.ts";
import type { Services } from "../services.ts";
import { API_KEYS } from "./find-own-key.ts";
import { type ListKeysQuery, showKey } from "./schemas.ts";

export const listKeys = ({ database }: Services, call: Call, query: Static<typeof ListKeysQuery>) =>
  listOwn(database, API_KEYS, call, { query, show: (row) => showKey(toKeyRow(row)) });
