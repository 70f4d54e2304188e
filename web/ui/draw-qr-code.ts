// Draws a QR code as the path of an SVG. Apart, so that it is loaded when a code is shown, and no more of the library with it.
import { encode } from "uqr";

export type Drawn = { size: number; path: string };

/** Light modules around it, without which a camera does not find it. */
const MARGIN = 2;

export function drawQrCode(text: string): Drawn {
  const { data, size } = encode(text, { border: MARGIN });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return { size, path };
}
