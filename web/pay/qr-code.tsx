// The page's own address as a QR code, for a phone that has the wallet. Loaded when it is asked for.
import { Suspense, use, useState } from "react";
import { useTexts } from "../i18n/language.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { CopyButton } from "../ui/hex.tsx";
import { pay } from "./texts.ts";

type Drawn = { size: number; path: string };

/** Light modules around it, without which a camera does not find it. */
const MARGIN = 2;

async function draw(address: string): Promise<Drawn> {
  const { encode } = await import("uqr");
  const { data, size } = encode(address, { border: MARGIN });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return { size, path };
}

export function QrCode({ address }: { address: string }) {
  const t = useTexts(pay);
  const [drawing, setDrawing] = useState<Promise<Drawn>>();
  const toggle = () => setDrawing(drawing ? undefined : draw(address));
  return (
    <section className="qr">
      <div className="qr-actions">
        {" "}
        <button
          type="button"
          className="button button-plain"
          aria-expanded={drawing !== undefined}
          onClick={toggle}
        >
          {t(drawing ? "qr.hide" : "qr.show")}
        </button>
        <CopyButton value={address} className="button button-plain">
          {t("qr.copy")}
        </CopyButton>
      </div>
      {drawing && (
        <ErrorBoundary>
          <Suspense>
            <Drawing drawing={drawing} />
          </Suspense>
        </ErrorBoundary>
      )}
    </section>
  );
}

function Drawing({ drawing }: { drawing: Promise<Drawn> }) {
  const t = useTexts(pay);
  const { size, path } = use(drawing);
  return (
    <figure className="card stack qr-card">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t("qr.label")}>
        <path d={path} />
      </svg>
      <figcaption className="small soft">{t("qr.text")}</figcaption>
    </figure>
  );
}
