// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The escrow's interface: terms, states, events, errors and operations.
/// @notice An order is identified by the hash of its terms, so whoever holds the terms can name the order before it
/// exists, and whoever signs the id has signed every term. Amounts are in the token's smallest unit; times are Unix
/// seconds; periods are seconds.
interface IDeliveryVsPayment {
    /// @notice How an order's funds come free.
    enum ReleaseType {
        DELIVERY_PROOF, // by the payer or, once proven, by the operator; by the proof itself if autoReleaseOnProof
        TIME_LOCKED, // by anyone, once timeLockUntil has passed and the order is Shipped or Delivered
        MILESTONE_LOCKED, // part by part, signed as cumulative amounts; the rest by the payee once proven
        AUTO_RELEASE, // by the proof itself
        IMMEDIATE // at funding
    }

    /// @notice Where an order stands. The numbers are part of the service's interface (spec, "Escrow order").
    enum Status {
        Created,
        Shipped,
        Delivered,
        AwaitingSettlement,
        Completed,
        Cancelled,
        Disputed
    }

    /// @notice What released funds or returned them.
    enum Cause {
        FUNDING,
        PROOF,
        PAYER,
        OPERATOR,
        PAYEE,
        TIME_LOCK,
        MILESTONE, // in no event: MilestoneReleased says it; for readers who keep all causes in one column
        ARBITER,
        AGREEMENT,
        DISPUTE_TIMEOUT,
        DELIVERY_TIMEOUT
    }

    /// @notice The party that a dispute counts for. Each side may raise one dispute an order.
    enum Side {
        PAYER,
        MERCHANT // payee, or the operator without the payer's signature
    }

    /// @notice Everything that the parties agreed on. Its hash, with the chain id at deployment and the contract, is the
    /// order's id.
    struct Terms {
        bytes32 salt; // makes two orders with equal terms two orders
        address operator; // the gateway: relays, settles
        address arbiter; // decides disputes; none of payer, payee, operator and offRamp, and not zero
        address deliveryOracle; // the only account that proves delivery; payee or operator if zero
        address payee; // the merchant's account
        address payer; // the only account that may fund the order; any if zero
        address offRamp; // the gateway's wallet at the fiat provider
        address token; // ERC-20, listed when funded
        uint120 amount; // smallest unit
        uint40 fundingDeadline; // last second at which the order can be funded
        uint40 deliveryPeriod; // counted from funding
        uint40 disputeWindow; // the shortest window a dispute may have
        uint40 timeLockUntil; // TIME_LOCKED only, else zero
        ReleaseType releaseType;
        bool autoReleaseOnProof;
        bytes32 expectedDeliveryHash; // any proof counts if zero
    }

    /// @notice The terms that a group's orders have in common; each as in Terms.
    struct CommonTerms {
        address operator;
        address arbiter;
        address deliveryOracle;
        address offRamp;
        address token;
        uint40 deliveryPeriod;
        uint40 disputeWindow;
        uint40 timeLockUntil;
        ReleaseType releaseType;
        bool autoReleaseOnProof;
        bytes32 expectedDeliveryHash;
    }

    /// @notice The terms that each order of a group has of its own; each as in Terms.
    struct OwnTerms {
        bytes32 salt;
        address payee;
        address payer;
        uint120 amount;
        uint40 fundingDeadline;
    }

    /// @notice Orders to settle, with what they have in common said once.
    struct SettlementGroup {
        CommonTerms common;
        OwnTerms[] orders;
    }

    /// @notice An order's state. `payer` is zero for an order that was never funded.
    struct Order {
        address payer;
        uint40 deliveryDeadline; // includes the windows of the disputes so far
        uint40 disputeDeadline; // of the latest dispute; zero if there was none
        Status status;
        Status statusBeforeDispute; // what a dispute that resumes the order goes back to
        Side disputeSide; // of the latest dispute
        bool disputedByPayer;
        bool disputedByMerchant;
        bool proven; // see submitDeliveryProof
        bool withdrawn; // the payee withdrew on chain: no fiat payout ever
        uint120 released;
        uint120 disbursed; // settled + withdrawn, at most `released`
        uint120 refunded; // returned to the payer, as a transfer or as a credit
    }

    /// @notice An ERC-2612 permit from the payer to this contract.
    struct Permit {
        uint256 value;
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    event OrderCreated(
        bytes32 indexed orderId,
        address indexed payer,
        address indexed payee,
        uint40 deliveryDeadline,
        Terms terms
    );
    event OrderShipped(bytes32 indexed orderId, address indexed actor);
    /// @param proven Whether the proof makes the order proven; a proof that does not is evidence.
    event DeliveryProofSubmitted(
        bytes32 indexed orderId,
        address indexed submittedBy,
        bytes32 proofHash,
        string proofURI,
        bool proven
    );
    /// @notice The unreleased rest, `amount`, was released.
    event FundsReleased(bytes32 indexed orderId, address indexed actor, Cause cause, uint256 amount);
    /// @notice `amount` more was released by milestones.
    /// @param released The order's released total.
    /// @param complete Nothing is left to release.
    event MilestoneReleased(
        bytes32 indexed orderId,
        address indexed actor,
        uint256 amount,
        uint256 released,
        bool complete
    );
    /// @notice Released funds were sent to the off-ramp, to be paid out as fiat.
    event OrderSettled(bytes32 indexed orderId, address indexed offRamp, uint256 amount);
    /// @notice An order of a batch that could not be settled, and why (an error's ABI encoding).
    event SettlementSkipped(bytes32 indexed orderId, bytes reason);
    /// @notice Released funds were withdrawn by the payee on chain.
    event OrderWithdrawn(bytes32 indexed orderId, address indexed payee, uint256 amount);
    /// @notice `amount` of the unreleased rest was returned to the payer.
    /// @param complete Nothing is left: the order is Cancelled.
    event OrderRefunded(bytes32 indexed orderId, address indexed actor, Cause cause, uint256 amount, bool complete);
    /// @param side Whose one dispute this is.
    /// @param actor Who raised it: the caller, or the payer who signed it.
    event DisputeRaised(
        bytes32 indexed orderId,
        address indexed actor,
        Side indexed side,
        uint40 disputeDeadline,
        uint40 deliveryDeadline,
        string reason
    );
    /// @notice The unreleased rest was split. The payer's part is returned; the payee's part awaits settlement.
    event DisputeResolved(
        bytes32 indexed orderId,
        address indexed actor,
        Cause cause,
        uint256 payeeAmount,
        uint256 payerAmount
    );
    /// @notice A dispute expired without a decision, and the order goes on in `status`.
    event OrderResumed(bytes32 indexed orderId, address indexed actor, Status status);
    /// @notice A transfer to `account` failed; the amount waits to be claimed by that account.
    event CreditAdded(bytes32 indexed orderId, address indexed account, address indexed token, uint256 amount);
    event CreditClaimed(address indexed account, address indexed token, uint256 amount);
    event TokenListed(address indexed token, bool listed);
    event GuardianChanged(address indexed guardian);

    /// @notice No order with these terms was funded.
    error OrderNotFound(bytes32 orderId);
    error OrderExists(bytes32 orderId);
    /// @notice `caller` may not do this; one of the others may (zero: nobody else).
    error CallerNotAllowed(address caller, address allowed, address alsoAllowed);
    /// @param allowed Bit n is set if the operation is possible in the status with number n.
    error StatusNotAllowed(bytes32 orderId, Status status, uint256 allowed);
    error ReleaseTypeNotAllowed(bytes32 orderId, ReleaseType releaseType, ReleaseType allowed);
    /// @notice Too early or too late: possible from `earliest` to `latest`, both included.
    error OutsideTime(uint256 timestamp, uint256 earliest, uint256 latest);
    /// @notice `account` cannot have this role in an order (zero, the escrow itself, another payer than the terms name, or
    /// a party as the arbiter).
    error RoleNotAllowed(bytes32 role, address account);
    /// @notice A number of the terms or of the call is outside its range, both ends included. `field` is its name.
    error OutOfRange(bytes32 field, uint256 value, uint256 least, uint256 most);
    /// @notice The calldata of the terms has bits outside a field's type, so their hash would not be their encoding's.
    error TermsNotClean();
    error TokenNotListed(address token);
    /// @notice The token moved another amount than it was asked for (a fee, or a token that lies).
    error ReceivedOtherAmount(address token, uint256 received, uint256 expected);
    /// @notice As ReceivedOtherAmount, for a transfer out of the escrow.
    error SentOtherAmount(address token, uint256 sent, uint256 expected);
    /// @notice The signature is not `signer`'s over the data that `digest` stands for.
    error SignatureNotValid(address signer, bytes32 digest);
    error ProofMissing(bytes32 orderId);
    error ProofAlreadyValid(bytes32 orderId);
    /// @notice `party` can take the unreleased rest by its own call, and no other party's call changes that.
    error ExitVested(bytes32 orderId, address party);
    /// @notice This side has raised its one dispute.
    error DisputeAlreadyRaised(bytes32 orderId, Side side);
    error NothingReleased(bytes32 orderId);
    /// @notice The cumulative amount releases nothing beyond what is released already.
    error NothingToRelease(bytes32 orderId, uint256 cumulativeAmount, uint256 released);
    /// @notice The payee withdrew funds of this order on chain, so it is never paid out as fiat.
    error AlreadyWithdrawn(bytes32 orderId);
    /// @notice A batch has one token and one off-ramp: those of the first of its orders that can be settled.
    error OtherBatch(bytes32 orderId, address token, address offRamp);
    error NoCredit(address account, address token);

    /// @notice Funds an order; the caller pays from its allowance.
    function createOrder(Terms calldata terms) external returns (bytes32 orderId);

    /// @notice Funds an order for a payer who signed the typed data that the gateway shows. Operator only.
    /// @param payerNamed Whether the signed message names the payer; if not, its `payer` is zero. A contract's signature
    /// (ERC-1271) counts only if the message or the terms name the payer.
    function createOrderFor(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice As createOrderFor, after a permit (skipped when the allowance suffices): ERC-2612, or DAI's own form with the
    /// payer's present nonce, `deadline` as expiry and `allowed` = true.
    function createOrderForWithPermit(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature,
        Permit calldata permit
    ) external returns (bytes32 orderId);

    /// @notice Funds an order by ERC-3009 `receiveWithAuthorization` whose nonce is the order id. Operator only.
    function createOrderWithAuthorization(
        Terms calldata terms,
        address payer,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice Funds an order by Permit2 `permitWitnessTransferFrom` with the order id as witness. Operator only.
    function createOrderWithPermit2(
        Terms calldata terms,
        address payer,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice Created → Shipped, until the delivery deadline: by the independent oracle if there is one (`terms` name an
    /// oracle that is none of payee, payer, operator, arbiter and offRamp), else by payee or operator.
    function markShipped(Terms calldata terms) external;

    /// @notice As markShipped, for an independent oracle that signed `Shipment(orderId)`.
    function markShippedFor(Terms calldata terms, bytes calldata oracleSignature) external;

    /// @notice Records a proof of delivery: by the oracle if the terms name one, else by payee or operator. The order
    /// becomes Delivered. It becomes proven if the oracle is independent or, on DELIVERY_PROOF and AUTO_RELEASE, if the
    /// hash is the expected one or none is expected; any other proof is evidence. While Disputed only an independent
    /// oracle's proof is recorded, until the dispute's deadline.
    function submitDeliveryProof(Terms calldata terms, bytes32 proofHash, string calldata proofURI) external;

    /// @notice As submitDeliveryProof, for an oracle that signed `DeliveryProof(orderId, proofHash, proofURI)`.
    function submitDeliveryProofFor(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI,
        bytes calldata oracleSignature
    ) external;

    /// @notice Releases the rest. Payer: any time before it is released or returned. Operator: a proven DELIVERY_PROOF or
    /// AUTO_RELEASE order. Payee: a proven MILESTONE_LOCKED order, and after the delivery deadline a proven DELIVERY_PROOF
    /// or AUTO_RELEASE order.
    function release(Terms calldata terms) external;

    /// @notice Releases a TIME_LOCKED order that is Shipped or Delivered, from the lock's second on. Anyone.
    function releaseTimeLocked(Terms calldata terms) external;

    /// @notice Releases up to `cumulativeAmount` in total, capped at what was not refunded. Payer any time; until the
    /// delivery deadline also the independent oracle or, with autoReleaseOnProof and no oracle, the operator.
    function releaseMilestone(Terms calldata terms, uint256 cumulativeAmount) external;

    /// @notice As releaseMilestone, for an independent oracle that signed `MilestoneRelease(orderId, cumulativeAmount)`.
    function releaseMilestoneFor(
        Terms calldata terms,
        uint256 cumulativeAmount,
        bytes calldata oracleSignature
    ) external;

    /// @notice Sends what the orders have released to their off-ramp: one token and one off-ramp a batch, any payees.
    /// An order that cannot be settled is skipped and reported. Operator of every group only.
    function settle(SettlementGroup[] calldata groups) external;

    /// @notice Sends what the order has released to the payee, who calls. It gets no fiat payout from then on.
    function withdraw(Terms calldata terms) external;

    /// @notice Returns `amount` of the unreleased rest to the payer. Payee: also while Disputed. Operator: an order that
    /// is neither disputed nor proven, and whose lock has not expired after shipment.
    function refund(Terms calldata terms, uint256 amount) external;

    /// @notice Returns the rest to the payer, who calls, after the delivery deadline of an order that is neither proven nor
    /// a Shipped or Delivered one whose lock has expired.
    function reclaim(Terms calldata terms) external;

    /// @notice Pauses an order while neither side has a vested exit. The payer raises the payer's dispute; payee and
    /// operator raise the merchant's. The delivery deadline moves by the window and the terms' window, which is the least that
    /// is left after an undecided dispute.
    /// @param window Seconds, between the terms' and 30 days; the merchant's dispute also ends the terms' window before a
    /// lock that still runs.
    function raiseDispute(Terms calldata terms, uint40 window, string calldata reason) external;

    /// @notice Raises the payer's dispute for a payer who signed `Dispute(orderId, window, reason, deadline)`. Operator only.
    function raiseDisputeFor(
        Terms calldata terms,
        uint40 window,
        string calldata reason,
        uint256 deadline,
        bytes calldata payerSignature
    ) external;

    /// @notice Splits the rest of a Disputed order, until the dispute's deadline. Arbiter only.
    /// @param payeeAmount The payee's part of the rest (all of it, if it is more); the payer gets what remains.
    function resolveDispute(Terms calldata terms, uint256 payeeAmount) external;

    /// @notice As resolveDispute, at any time while Disputed, for two parties who both signed
    /// `DisputeAgreement(orderId, side, payeeAmount, deadline)`; `side` names the dispute that it ends.
    function resolveDisputeByAgreement(
        Terms calldata terms,
        uint256 payeeAmount,
        uint256 deadline,
        bytes calldata payerSignature,
        bytes calldata payeeSignature
    ) external;

    /// @notice Ends a dispute after its deadline. Anyone. A TIME_LOCKED order, and one that the merchant's side disputed,
    /// resumes. Otherwise: proven, the payee gets the rest; DELIVERY_PROOF and AUTO_RELEASE without an independent oracle,
    /// the payer; else it resumes.
    function resolveExpiredDispute(Terms calldata terms) external;

    /// @notice Sends the caller's credit in `token` to the caller.
    function claimCredit(address token) external returns (uint256 amount);

    /// @notice Owner; the guardian may de-list. Orders that are funded are not affected.
    function setTokenListed(address token, bool listed) external;

    /// @notice Owner only. Zero: no guardian.
    function setGuardian(address guardian) external;

    function orderIdOf(Terms calldata terms) external view returns (bytes32);

    /// @notice The order with these terms. It takes the terms, not the id, because one slot an order has no room for the
    /// amount: the amounts follow from status and terms unless milestones, a split or a partial refund made them differ.
    function getOrder(Terms calldata terms) external view returns (Order memory);

    function isTokenListed(address token) external view returns (bool);

    function creditOf(address account, address token) external view returns (uint256);
}
