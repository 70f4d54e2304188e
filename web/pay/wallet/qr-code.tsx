// Shows the page's own URL as a QR code, for a phone that has the wallet. The renderer is loaded on first use.
import { Suspense, use, useState } from "react";
import { useTexts } from "../../i18n/language.tsx";
import type { Drawn } from "../../ui/draw-qr-code.ts";
import { useEnvironment } from "../../ui/environment.tsx";
import { ErrorBoundary } from "../../ui/error-boundary.tsx";
import { CopyButton } from "../../ui/hex.tsx";
import { pay } from "../payment/texts.ts";

async function draw(address: string): Promise<Drawn> {
  const { drawQrCode } = await import("../../ui/draw-qr-code.ts");
  return drawQrCode(address);
}

const drawings = new Map<string, Promise<Drawn>>();

/** Caches one promise per URL. A promise that is recreated on every render would never settle. */
function loadDrawing(address: string): Promise<Drawn> {
  const known = drawings.get(address) ?? draw(address);
  drawings.set(address, known);
  return known;
}

export function CopyLink({ address }: { address: string }) {
  const t = useTexts(pay);
  return (
    <CopyButton value={address} className="button button-plain">
      {t("qr.copy")}
    </CopyButton>
  );
}

/** Reserves the space for the code while it is drawn. */
export function QrCode({ address, label }: { address: string; label?: string }) {
  const [inBrowser] = useState(() => typeof window !== "undefined");
  const { qrCode: served } = useEnvironment();
  return (
    <figure className="qr-code">
      {served?.address === address ? (
        <Code drawn={served} label={label} address={address} />
      ) : (
        inBrowser && (
          <ErrorBoundary>
            <Suspense>
              <Drawing drawing={loadDrawing(address)} label={label} />
            </Suspense>
          </ErrorBoundary>
        )
      )}
    </figure>
  );
}

export function QrToggle({ address }: { address: string }) {
  const t = useTexts(pay);
  const [shown, setShown] = useState(false);
  return (
    <div className="qr">
      <div className="qr-actions">
        <button
          type="button"
          className="button button-plain"
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {t(shown ? "qr.hide" : "qr.show")}
        </button>
        <CopyLink address={address} />
      </div>
      {shown && (
        <>
          <QrCode address={address} />
          <p className="small soft center">{t("qr.text")}</p>
        </>
      )}
    </div>
  );
}

function Drawing({ drawing, label }: { drawing: Promise<Drawn>; label: string | undefined }) {
  return <Code drawn={use(drawing)} label={label} />;
}

type CodeShown = { drawn: Drawn; label: string | undefined; address?: string };

function Code({ drawn: { size, path }, label, address }: CodeShown) {
  const t = useTexts(pay);
  return (
    <svg
      data-address={address}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label ?? t("qr.label")}
    >
      <path d={path} />
    </svg>
  );
}
