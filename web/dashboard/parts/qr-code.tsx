// A QR code for a link or a TOTP secret. The renderer is loaded on first use.
import { useQuery } from "@tanstack/react-query";

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data } = useQuery({
    queryKey: ["qr code", text],
    queryFn: async () => (await import("../../ui/draw-qr-code.ts")).drawQrCode(text),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchInterval: false,
  });
  return (
    <figure className="qr-code">
      {data && (
        <svg viewBox={`0 0 ${data.size} ${data.size}`} role="img" aria-label={label}>
          <path d={data.path} />
        </svg>
      )}
    </figure>
  );
}
