// A bar chart by day. Heights are floats, which are precise enough for pixels. A table shows the exact figures.
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { useLocale } from "../../i18n/language.tsx";

const HEIGHT = 220;

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * Returns the width of the axis labels in pixels. It varies, because some languages have no short form of large
 * numbers.
 */
function widest({ axes, ctx }: uPlot, labels: readonly string[]): number {
  const [font] = axes[1]?.font ?? [];
  if (font !== undefined) ctx.font = font;
  const widths = labels.map((label) => ctx.measureText(label).width / devicePixelRatio);
  return Math.ceil(Math.max(16, ...widths));
}

export function Bars({ days, label }: { days: { at: number; amount: string }[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const locale = useLocale();
  useEffect(() => {
    const element = box.current;
    const bars = uPlot.paths.bars;
    if (!element || !bars) return;
    const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
    const number = new Intl.NumberFormat(locale, { notation: "compact", maximumSignificantDigits: 3 });
    const axis = {
      stroke: () => colour("--ink-soft"),
      grid: { stroke: () => colour("--line"), width: 1 },
      ticks: { show: false },
    };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
        axes: [
          {
            ...axis,
            size: 32,
            grid: { show: false },
            values: (_, moments) => moments.map((at) => day.format(at * 1000)),
          },
          {
            ...axis,
            values: (_, amounts) => amounts.map((amount) => number.format(amount)),
            size: (plot, labels) => widest(plot, labels ?? []) + 24,
          },
        ],
        series: [
          {},
          {
            fill: () => colour("--accent"),
            width: 0,
            paths: bars({ size: [0.7, 48] }),
            points: { show: false },
          },
        ],
      },
      [days.map(({ at }) => at), days.map(({ amount }) => Number(amount))],
      element,
    );
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => plot.redraw();
    scheme.addEventListener("change", repaint);
    return () => {
      watch.disconnect();
      scheme.removeEventListener("change", repaint);
      plot.destroy();
    };
  }, [days, locale]);
  return <div ref={box} className="chart" role="img" aria-label={label} />;
}
