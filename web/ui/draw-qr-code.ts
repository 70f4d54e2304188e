// Draws a QR code as an SVG path. This is a separate module, so that this part of the library is loaded only when a
// code is shown.
import { encode } from "uqr";

export type Drawn = { size: number; path: string };

/** Width of the quiet zone: light modules around the code, which cameras need to detect it. */
const MARGIN = 2;

export function drawQrCode(text: string): Drawn {
  const { data, size } = encode(text, { border: MARGIN });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return { size, path };
}
