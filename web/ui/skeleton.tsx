// Takes the room of what is being loaded, and says so.
import { common } from "../i18n/common.ts";
import { useTexts } from "../i18n/language.tsx";

/** @param lines how much room what comes will take */
export function Loading({ lines = 3 }: { lines?: number }) {
  const t = useTexts(common);
  return (
    <div role="status">
      <span className="hidden">{t("loading")}</span>
      <Skeleton lines={lines} />
    </div>
  );
}

export const Skeleton = ({ lines }: { lines: number }) => (
  <div className="skeleton" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines are alike
      <span key={index} />
    ))}
  </div>
);
