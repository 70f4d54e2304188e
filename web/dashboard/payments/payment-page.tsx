// One payment: its status, its history, and the available actions.
import { Link, useParams } from "@tanstack/react-router";
import type { Gateway, Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showDecimal } from "../../ui/format.ts";
import { HexValue } from "../../ui/hex.tsx";
import { Loading } from "../../ui/skeleton.tsx";
import { Fact } from "../parts/fact.tsx";
import { Freshness } from "../parts/freshness.tsx";
import { Moment } from "../parts/moment.tsx";
import { statusTexts } from "../parts/status-texts.ts";
import { StatusTag } from "../parts/tags.tsx";
import { dashboard } from "../parts/texts.ts";
import { useTitle } from "../parts/use-title.ts";
import { useApi } from "../session/session.tsx";
import { Actions } from "./actions.tsx";
import { Card } from "./card.tsx";
import { Deliveries } from "./deliveries.tsx";
import { IntentTag, NextStep } from "./intent-tag.tsx";
import { Milestones } from "./milestones.tsx";
import { Timeline } from "./timeline.tsx";
import { usePayment } from "./use-payment.ts";
import { useAccountLink, useTransactionLink } from "./use-transaction-link.ts";

export function PaymentPage() {
  const { id } = useParams({ from: "/payments/$id" });
  return <Payment key={id} id={id} />;
}

function Payment({ id }: { id: string }) {
  const t = useTexts(dashboard);
  const { intent: query, log } = usePayment(id);
  const intent = query.data;
  const held = intent?.data.type === "DELIVERY_VS_PAYMENT";
  const readEscrow = (gateway: Gateway) => gateway.escrow.retrieve(id);
  const escrowQuery = useApi(`escrow of ${id}`, held ? readEscrow : undefined, [id]);
  const escrow = escrowQuery.data;
  const payouts = useSettlements(id);
  // The available actions and deadlines depend on both queries. Rendering them together avoids a layout shift.
  const isPending = query.isPending || (held && escrowQuery.isPending);
  useTitle(t("payment"));
  return (
    <>
      <p>
        <Link to="/payments">← {t("payment.all")}</Link>
      </p>
      {(!intent || isPending) && <h1 className="hidden">{t("payment")}</h1>}
      <Freshness query={query.error ? query : escrowQuery} />
      {intent && !isPending ? (
        <>
          <Head intent={intent} escrow={escrow?.data} />
          <Actions intent={intent} escrow={escrow} failure={findFailure(payouts.data)} />
          <div className="halves">
            <div className="half">
              <Facts intent={intent} escrow={escrow} />
              {escrow &&
                (escrow.data.releaseType === "MILESTONE_LOCKED" ? (
                  <Milestones intent={intent} escrow={escrow} />
                ) : (
                  <Proofs intentId={intent.id} />
                ))}
              <Payouts query={payouts} />
            </div>
            <div className="half">
              <Timeline log={log} />
              <Deliveries intentId={intent.id} />
            </div>
          </div>
        </>
      ) : (
        isPending && <Loading lines={6} />
      )}
    </>
  );
}

function Head({
  intent,
  escrow,
}: {
  intent: Schemas["PaymentIntent"];
  escrow: Schemas["ConditionalPayment"]["data"] | undefined;
}) {
  const t = useTexts(dashboard);
  const locale = useLocale();
  const { data } = intent;
  return (
    <header className="stack-tight">
      <h1 className="row">
        <span className="hidden">{t("payment")}</span>
        <span className="amount number">
          {showDecimal(data.amount, locale)} {data.currency}
        </span>
        <IntentTag intent={intent} />
      </h1>
      <NextStep intent={intent} escrow={escrow} />
      {data.description !== undefined && <p>{data.description}</p>}
    </header>
  );
}

function Facts({
  intent,
  escrow,
}: {
  intent: Schemas["PaymentIntent"];
  escrow: Schemas["ConditionalPayment"] | undefined;
}) {
  const t = useTexts(dashboard);
  const s = useTexts(statusTexts);
  const link = useTransactionLink();
  const account = useAccountLink();
  const { id, data, created } = intent;
  const held = escrow?.data;
  return (
    <Card title={t("payment.facts")}>
      <dl className="facts">
        <Fact name={t("payment")}>
          <HexValue value={id} />
        </Fact>
        <Fact name={t("created")}>
          <Moment at={created} />
        </Fact>
        {data.signerAddress && (
          <Fact name={t("payment.signer")}>
            <HexValue value={data.signerAddress} href={account(data.signerAddress)} />
          </Fact>
        )}
        {data.signature && (
          <Fact name={t("payment.signature")}>
            <HexValue value={data.signature} />
          </Fact>
        )}
        {data.transactionHash && (
          <Fact name={t("payment.funding")}>
            <HexValue value={data.transactionHash} href={link(data.transactionHash)} />
          </Fact>
        )}
        {held && (
          <>
            <Fact name={t("payment.order")}>
              {!held.funded
                ? t("payment.notFunded")
                : intent.status === "PROCESSING"
                  ? s("intent.PROCESSING")
                  : s(`order.${held.orderStatus}`)}
            </Fact>
            <Fact name={t("payment.release")}>{s(`release.${held.releaseType}`)}</Fact>
            {held.funded && (
              <Fact name={t("payment.deadline")}>
                <Moment at={Number(held.deliveryDeadline)} />
              </Fact>
            )}
            {/[1-9]/.test(held.refundedAmount) && (
              <Fact name={t("payment.refunded")}>
                {held.refundedAmount} {data.currency}
              </Fact>
            )}
            {held.withdrawal && (
              <Fact name={t("payment.withdrawal")}>
                {held.withdrawal.amount} {data.currency}
                <span className="small soft"> ({t("payment.withdrawal.why")})</span>
              </Fact>
            )}
            {held.disputeSide !== null && (
              <Fact name={t(`payment.dispute.${held.disputeSide}`)}>
                {held.disputeReason}
                {held.orderStatus === "DISPUTED" && (
                  <span className="small soft">
                    {" "}
                    ({t("payment.disputeUntil")}{" "}
                    <Moment at={Number(held.disputeRaisedAt) + Number(held.disputeWindow)} />)
                  </span>
                )}
                {isResumed(held) && <span className="small soft"> ({t("payment.resumed")})</span>}
              </Fact>
            )}
          </>
        )}
        <Fact name={t("payment.page")}>
          <a href={data.paymentUrl} target="_blank" rel="noreferrer noopener">
            {new URL(data.paymentUrl).host}
          </a>
        </Fact>
        {Object.entries(data.metadata ?? {}).map(([key, value]) => (
          <Fact key={key} name={`${t("payment.metadata")}: ${key}`}>
            <Metadata value={value} />
          </Fact>
        ))}
      </dl>
    </Card>
  );
}

/** Matches hashes and addresses, which the page shortens. */
const HEX = /^0x[0-9a-fA-F]{40,}$/;

function Metadata({ value }: { value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return HEX.test(text) ? <HexValue value={text} /> : text;
}

/**
 * Whether an order has resumed after a dispute that nobody decided. It is then neither disputed, released nor closed.
 */
const isResumed = ({ orderStatus, settlementStatus }: Schemas["ConditionalPayment"]["data"]): boolean =>
  (orderStatus === "PENDING" || orderStatus === "SHIPPED" || orderStatus === "DELIVERED") &&
  settlementStatus !== "SCHEDULED";

function Proofs({ intentId }: { intentId: string }) {
  const t = useTexts(dashboard);
  const link = useTransactionLink();
  const query = useApi(`proofs of ${intentId}`, ({ escrow }) => escrow.listDeliveryProofs(intentId), [
    intentId,
  ]);
  const { data } = query;
  return (
    <Card title={t("payment.proofs")}>
      <Freshness query={query} />
      {query.isPending && <Loading lines={1} />}
      {data?.data.length === 0 && <p className="soft">{t("payment.none")}</p>}
      <ul className="timeline">
        {data?.data.map(({ id, data: proof }) => (
          <li key={id}>
            <HexValue value={proof.proofHash} />
            {proof.proofURI !== null && <span className="small">{proof.proofURI}</span>}
            <span className="small soft">
              {t("payment.transaction")}:{" "}
              <HexValue value={proof.submitTxHash} href={link(proof.submitTxHash)} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const useSettlements = (intentId: string) =>
  useApi(`settlements of ${intentId}`, ({ settlements }) => settlements.list({ paymentIntentId: intentId }), [
    intentId,
  ]);

/** Returns why the latest payout attempt failed or was returned, if it was. */
const findFailure = (settlements: { data: Schemas["Settlement"][] } | undefined): string | undefined =>
  settlements?.data[0]?.failure ?? undefined;

function Payouts({ query }: { query: ReturnType<typeof useSettlements> }) {
  const t = useTexts(dashboard);
  const s = useTexts(statusTexts);
  const locale = useLocale();
  const link = useTransactionLink();
  const { data } = query;
  return (
    <Card title={t("payment.payouts")}>
      <Freshness query={query} />
      {query.isPending && <Loading lines={1} />}
      {data?.data.length === 0 && <p className="soft">{t("payment.none")}</p>}
      <ul className="timeline">
        {data?.data.map((payout) => (
          <li key={payout.id}>
            <span className="row">
              <Link to="/settlements/$id" params={{ id: payout.id }} className="number">
                {showDecimal(payout.amount, locale)} {payout.currency}
              </Link>
              <StatusTag status={payout.status}>{s(`settlement.${payout.status}`)}</StatusTag>
            </span>
            <span className="small soft">
              {payout.destination}, <Moment at={payout.completed ?? payout.created} />
            </span>
            {payout.failure !== null && (
              <span className="small bad">{t("payout.failure", { failure: payout.failure })}</span>
            )}
            {payout.deliveredAmount !== null && (
              <span className="small">
                {t("payout.delivered", {
                  amount: `${showDecimal(payout.deliveredAmount, locale)} ${payout.deliveredCurrency}`,
                })}
                {/[1-9]/.test(payout.fee) &&
                  `, ${t("payout.fee", { fee: `${showDecimal(payout.fee, locale)} ${payout.currency}` })}`}
              </span>
            )}
            <HexValue value={payout.transactionHash} href={link(payout.transactionHash)} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
