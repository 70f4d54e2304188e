// Compresses responses for callers that request compression, because lists of payments are very repetitive.
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

type Coding = "br" | "gzip";

/** A smaller response fits in one packet anyway. */
const SMALLEST = 1_024;
/** At higher levels, the better compression ratio costs more time than it saves. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const COMPRESS: Record<Coding, (text: Buffer) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text, QUALITY),
  gzip: (text) => promisify(gzip)(text),
};

/** Returns the supported encoding that the caller prefers, or undefined if the caller requests none of them by name. */
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

/** Compresses only JSON responses, because streams are sent as they are produced. */
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
