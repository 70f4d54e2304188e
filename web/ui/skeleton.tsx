// Reserves the space of content that is loading, and announces the loading to screen readers.
import { common } from "../i18n/common.ts";
import { useTexts } from "../i18n/language.tsx";

/** @param lines expected height of the content, in lines */
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
