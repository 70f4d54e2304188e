// Compresses answers for callers that ask for it: a list of payments is mostly the same words again.
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

type Coding = "br" | "gzip";

/** Below this an answer fits in a packet anyway. */
const SMALLEST = 1_024;
/** Beyond it a better ratio costs more time than it saves. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const COMPRESS: Record<Coding, (text: Buffer) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text, QUALITY),
  gzip: (text) => promisify(gzip)(text),
};

/** The coding that the caller prefers of those that we have; none unless it is asked for by name. */
export function codingFor(acceptEncoding: string | null): Coding | undefined {
  if (!acceptEncoding) return undefined;
  const weights = new Map(
    acceptEncoding.split(",").map((item) => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  const weightOf = (coding: Coding): number => weights.get(coding) || 0;
  if (weightOf("br") === 0 && weightOf("gzip") === 0) return undefined;
  return weightOf("br") >= weightOf("gzip") ? "br" : "gzip";
}

/** JSON alone: streams go out as they are made. */
export async function compressed({ headers }: Request, response: Response): Promise<Response> {
  if (!response.headers.get("content-type")?.startsWith("application/json")) return response;
  response.headers.append("Vary", "Accept-Encoding");
  const coding = codingFor(headers.get("accept-encoding"));
  if (coding === undefined) return response;
  const text = await response.arrayBuffer();
  const isSmall = text.byteLength < SMALLEST;
  const body = isSmall ? text : new Uint8Array(await COMPRESS[coding](Buffer.from(text)));
  if (!isSmall) response.headers.set("Content-Encoding", coding);
  return new Response(body, { status: response.status, headers: response.headers });
}
