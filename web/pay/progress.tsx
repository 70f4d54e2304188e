// The payment's progress, step by step: signature, confirmations, escrow, delivery, settlement.
import type { Phase, PhaseName } from "#core/intent/phases.ts";
import { useLocale, useTexts } from "../i18n/language.tsx";
import { showMoment } from "../ui/format.ts";
import { Icon } from "../ui/icons.tsx";
import type { Checkout } from "./payment/checkout.ts";
import { pay } from "./payment/texts.ts";
import type { Verified } from "./payment/verify.ts";

const PHASES: Record<PhaseName, true> = {
  SIGNATURE_VERIFICATION: true,
  BLOCKCHAIN_CONFIRMATION: true,
  ESCROW_LOCKED: true,
  AWAITING_DELIVERY_PROOF: true,
  SETTLEMENT: true,
};

/** Steps that an order with immediate release skips. */
const ESCROW_ONLY: ReadonlySet<PhaseName> = new Set(["ESCROW_LOCKED", "AWAITING_DELIVERY_PROOF"]);

const STATES = { COMPLETED: "done", IN_PROGRESS: "now", FAILED: "failed" } as const;

/** The payout step starts when the money is released, even if the service prepares the payout earlier. */
function deriveState(name: PhaseName, phase: Phase | undefined, { data }: Checkout) {
  const waits = name === "SETTLEMENT" && phase?.status === "IN_PROGRESS" && data.order?.releasedAt === null;
  return phase && !waits ? STATES[phase.status] : "next";
}

export function Progress({ checkout, verified }: { checkout: Checkout; verified: Verified }) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { merchantName: merchant, phases, confirmations, order } = checkout.data;
  const labels: Record<PhaseName, string> = {
    SIGNATURE_VERIFICATION: t("progress.signature"),
    BLOCKCHAIN_CONFIRMATION: t("progress.blocks"),
    ESCROW_LOCKED: t("progress.locked"),
    AWAITING_DELIVERY_PROOF: t("progress.delivery"),
    SETTLEMENT: t("progress.settlement", { merchant }),
  };
  const names = (Object.keys(PHASES) as PhaseName[]).filter(
    (name) => verified.releaseType !== "IMMEDIATE" || !ESCROW_ONLY.has(name),
  );
  return (
    <section className="card stack progress" aria-labelledby="progress">
      <h2 id="progress">{t("progress.title")}</h2>
      <ol className="steps">
        {names.map((name) => {
          const phase = phases.find((one) => one.phase === name);
          const state = deriveState(name, phase, checkout);
          const counting = name === "BLOCKCHAIN_CONFIRMATION" && state === "now";
          const shipped =
            name === "AWAITING_DELIVERY_PROOF" && state === "now" && order?.status === "Shipped";
          return (
            <li
              key={name}
              className={`step step-${state}`}
              aria-current={state === "now" ? "step" : undefined}
            >
              <span className="step-dot">
                {state === "done" && <Icon name="check" />}
                {state === "failed" && <Icon name="cross" />}
              </span>
              <span className="step-name">
                {labels[name]}
                <span className="hidden"> – {t(`progress.${state}`)}</span>
              </span>
              {counting && <Blocks {...confirmations} />}
              {shipped && <span className="tag tag-good">{t("progress.shipped")}</span>}
              {phase?.completedAt !== undefined && state === "done" && (
                <span className="soft small number">{showMoment(phase.completedAt, locale)}</span>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Blocks({ seen, required }: { seen: number; required: number }) {
  const t = useTexts(pay);
  return (
    <span className="blocks">
      <span className="blocks-bar" aria-hidden="true">
        {Array.from({ length: required }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a block is identified only by its index
          <span key={index} className={index < seen ? "block block-seen" : "block"} />
        ))}
      </span>
      <span className="soft small number">{t("progress.blocksOf", { seen, required })}</span>
    </span>
  );
}
