// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The escrow's interface: terms, states, events, errors and operations.
/// @notice An order is identified by the hash of its terms, so anyone who holds the terms can name the order before it
/// exists, and a signature over the id is a signature over every term. Amounts are in the token's smallest unit; times are
/// Unix seconds, and a deadline's second is still in time; periods and windows are seconds.
/// @dev `terms` are always all of the order's terms. Every operation on a funded order, `settle` apart, reverts with
/// OrderNotFound if there is none with these terms. Every operation on orders and credits reverts with Reentered while one
/// that calls a token is running; views do not. Each function's list names its further errors. "Open" is Created, Shipped or
/// Delivered; "unreleased" is open or Disputed; "the rest" is what is neither released nor returned; "the payer" of a funded
/// order is the account that funded it; the independent oracle is a `deliveryOracle` that is none of zero, payee, payer,
/// operator, arbiter and offRamp. Signed messages are EIP-712 typed data in the domain of `eip712Domain` (EIP-5267), which
/// names the live chain id; OrderTerms.sol has their types. "spec" is the description of the service's interface.
interface IDeliveryVsPayment {
    /// @notice What releases an order's funds, beside the payer and a dispute's outcome. The first four are the spec's
    /// `releaseType` ("Conditional payment / escrow order").
    enum ReleaseType {
        DELIVERY_PROOF, // once proven, operator, or payee after the delivery deadline; the proof itself if autoReleaseOnProof
        TIME_LOCKED, // anyone, once timeLockUntil has come and the order is Shipped or Delivered
        MILESTONE_LOCKED, // cumulative amounts, part by part; the payee, once proven
        AUTO_RELEASE, // the proof itself; proven in a dispute and resumed, as DELIVERY_PROOF
        IMMEDIATE // funding
    }

    /// @notice An order's status. The numbers are part of the service's interface (spec, "Escrow
    /// order status").
    enum Status {
        Created, // funded, neither shipped nor delivered; also the value for an order that was never funded
        Shipped, // markShipped
        Delivered, // a proof was recorded, valid or not
        AwaitingSettlement, // nothing is unreleased; released funds are in the escrow
        Completed, // nothing is unreleased; all that was released has left
        Cancelled, // the rest was returned to the payer; what was released before stays the payee's
        Disputed // raiseDispute; nothing but the payer's release, the payee's refund and the dispute's end moves the rest
    }

    /// @notice What released funds or returned them.
    enum Cause {
        FUNDING, // of an IMMEDIATE order
        PROOF, // submitDeliveryProof, submitDeliveryProofFor
        PAYER, // release by the payer
        OPERATOR, // release or refund by the operator
        PAYEE, // release or refund by the payee
        TIME_LOCK, // releaseTimeLocked
        MILESTONE, // in no event, because MilestoneReleased says it; for readers who keep all causes in one column
        ARBITER, // resolveDispute
        AGREEMENT, // resolveDisputeByAgreement
        DISPUTE_TIMEOUT, // resolveExpiredDispute
        DELIVERY_TIMEOUT // reclaim
    }

    /// @notice The party that a dispute counts for. Each side raises at most one dispute an order.
    enum Side {
        PAYER, // the payer, or the operator with the payer's signature
        MERCHANT // payee, or the operator without the payer's signature
    }

    /// @notice Everything that the parties agreed on. Its hash, with the chain id at deployment and the contract, is the
    /// order's id.
    struct Terms {
        bytes32 salt; // makes two orders with equal terms two orders
        address operator; // the gateway: relays, settles; nobody does if zero
        address arbiter; // decides disputes; none of payer, payee, operator and offRamp, and not zero
        address deliveryOracle; // the only account that submits proofs; payee and operator do if zero
        address payee; // the merchant's account; neither zero nor the escrow
        address payer; // the only account that may fund the order; any if zero
        address offRamp; // the gateway's wallet at the fiat provider; neither zero nor the escrow
        address token; // ERC-20, listed when funded
        uint120 amount; // the token's smallest unit; not zero
        uint40 fundingDeadline; // Unix second, the last at which the order can be funded
        uint40 deliveryPeriod; // seconds from funding to the delivery deadline; 1 to 3,650 days
        uint40 disputeWindow; // seconds, the shortest window that a dispute can have; 1 minute to 30 days
        uint40 timeLockUntil; // Unix second from which a TIME_LOCKED order can be released, else zero
        ReleaseType releaseType; // what releases the funds
        bool autoReleaseOnProof; // DELIVERY_PROOF: a valid proof releases; MILESTONE_LOCKED: see releaseMilestone
        bytes32 expectedDeliveryHash; // what makes a party's proof valid on DELIVERY_PROOF, AUTO_RELEASE; any hash does if zero
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
        CommonTerms common; // of every order of the group
        OwnTerms[] orders; // of one order each
    }

    /// @notice An order's state. Everything is zero for an order that was never funded.
    struct Order {
        address payer; // the account that funded it
        uint40 deliveryDeadline; // Unix second, the last for shipment and proof; each dispute moves it (raiseDispute)
        uint40 disputeDeadline; // Unix second, the arbiter's last in the latest dispute; zero if there was none
        Status status; // Created for an order that was never funded
        Status statusBeforeDispute; // what an order that is not proven resumes in; Created if there was no dispute
        Side disputeSide; // of the latest dispute; PAYER if there was none
        bool disputedByPayer; // the payer's side has raised its one dispute
        bool disputedByMerchant; // the merchant's side has
        bool proven; // see submitDeliveryProof
        bool withdrawn; // the payee withdrew on chain: no fiat payout ever
        uint120 released; // in total, disbursed funds included; smallest unit, as the next two
        uint120 disbursed; // settled + withdrawn, at most `released`
        uint120 refunded; // returned to the payer, as a transfer or as a credit; released + refunded is at most the amount
    }

    /// @notice A permit from the payer to this contract: ERC-2612, or DAI's form, which has no value.
    struct Permit {
        uint256 value; // smallest unit
        uint256 deadline; // Unix second, the permit's last; DAI's `expiry`
        uint8 v; // with r and s, the payer's ECDSA signature
        bytes32 r; // see v
        bytes32 s; // see v
    }

    /// @notice An order was funded. For an IMMEDIATE order FundsReleased follows.
    /// @param orderId The hash of chain id at deployment, contract and terms.
    /// @param payer The account that paid.
    /// @param payee As in the terms.
    /// @param deliveryDeadline Unix second, the last for shipment and proof.
    /// @param terms All terms of the order.
    event OrderCreated(
        bytes32 indexed orderId,
        address indexed payer,
        address indexed payee,
        uint40 deliveryDeadline,
        Terms terms
    );
    /// @notice The order is Shipped.
    /// @param orderId The order's id.
    /// @param actor The caller, or the oracle that signed.
    event OrderShipped(bytes32 indexed orderId, address indexed actor);
    /// @notice A proof of delivery was recorded.
    /// @param orderId The order's id.
    /// @param submittedBy The caller, or the oracle that signed.
    /// @param proofHash The proof's hash.
    /// @param proofURI Where the proof is; not interpreted.
    /// @param proven Whether the proof makes the order proven; a proof that does not is evidence.
    event DeliveryProofSubmitted(
        bytes32 indexed orderId,
        address indexed submittedBy,
        bytes32 proofHash,
        string proofURI,
        bool proven
    );
    /// @notice The rest was released.
    /// @param orderId The order's id.
    /// @param actor The caller, the payer of an IMMEDIATE order, or the oracle that signed.
    /// @param cause What released it.
    /// @param amount The rest, in the smallest unit.
    event FundsReleased(bytes32 indexed orderId, address indexed actor, Cause cause, uint256 amount);
    /// @notice A part was released by a milestone.
    /// @param orderId The order's id.
    /// @param actor The caller, or the oracle that signed.
    /// @param amount What was released now, in the smallest unit.
    /// @param released The order's released total, in the smallest unit.
    /// @param complete Nothing is left to release: the order is AwaitingSettlement.
    event MilestoneReleased(
        bytes32 indexed orderId,
        address indexed actor,
        uint256 amount,
        uint256 released,
        bool complete
    );
    /// @notice Released funds were sent to the off-ramp, to be paid out as fiat. One transfer pays for a batch.
    /// @param orderId The order's id.
    /// @param offRamp As in the terms.
    /// @param amount The order's part of the transfer, in the smallest unit.
    event OrderSettled(bytes32 indexed orderId, address indexed offRamp, uint256 amount);
    /// @notice An order of a batch could not be settled. Its id may be of no order: then the reason is OrderNotFound.
    /// @param orderId What the id of an order with the terms in the batch is.
    /// @param reason The ABI encoding of OrderNotFound, AlreadyWithdrawn, NothingReleased or OtherBatch.
    event SettlementSkipped(bytes32 indexed orderId, bytes reason);
    /// @notice Released funds were withdrawn by the payee on chain.
    /// @param orderId The order's id.
    /// @param payee As in the terms.
    /// @param amount What was sent, in the smallest unit.
    event OrderWithdrawn(bytes32 indexed orderId, address indexed payee, uint256 amount);
    /// @notice A part of the rest, or all of it, was returned to the payer.
    /// @param orderId The order's id.
    /// @param actor The caller.
    /// @param cause What returned it: PAYEE, OPERATOR or DELIVERY_TIMEOUT.
    /// @param amount What was returned, in the smallest unit; CreditAdded follows for what the token did not move.
    /// @param complete Nothing is left: the order is Cancelled.
    event OrderRefunded(bytes32 indexed orderId, address indexed actor, Cause cause, uint256 amount, bool complete);
    /// @notice The order is Disputed.
    /// @param orderId The order's id.
    /// @param actor The caller, or the payer who signed.
    /// @param side The side that has raised its one dispute.
    /// @param disputeDeadline Unix second, the arbiter's last.
    /// @param deliveryDeadline Unix second: the delivery deadline, as the dispute has moved it.
    /// @param reason As given; not interpreted.
    event DisputeRaised(
        bytes32 indexed orderId,
        address indexed actor,
        Side indexed side,
        uint40 disputeDeadline,
        uint40 deliveryDeadline,
        string reason
    );
    /// @notice The rest was split. The payer's part is returned; the payee's part awaits settlement.
    /// @param orderId The order's id.
    /// @param actor The caller.
    /// @param cause What decided: ARBITER, AGREEMENT or DISPUTE_TIMEOUT.
    /// @param payeeAmount The payee's part, in the smallest unit.
    /// @param payerAmount The payer's part, in the smallest unit; CreditAdded follows for what the token did not move.
    event DisputeResolved(
        bytes32 indexed orderId,
        address indexed actor,
        Cause cause,
        uint256 payeeAmount,
        uint256 payerAmount
    );
    /// @notice A dispute expired without a decision, and the order resumes.
    /// @param orderId The order's id.
    /// @param actor The caller.
    /// @param status The status that the order resumes in.
    event OrderResumed(bytes32 indexed orderId, address indexed actor, Status status);
    /// @notice A transfer to the payer failed, or moved less: what did not leave waits for claimCredit.
    /// @param orderId The order's id.
    /// @param account The payer.
    /// @param token The order's token.
    /// @param amount What was added to the account's credit, in the smallest unit.
    event CreditAdded(bytes32 indexed orderId, address indexed account, address indexed token, uint256 amount);
    /// @notice An account was sent its credit.
    /// @param account The caller.
    /// @param token The credit's token.
    /// @param amount All of the credit, in the smallest unit.
    event CreditClaimed(address indexed account, address indexed token, uint256 amount);
    /// @notice New orders in a token are allowed, or no longer. It may have been so before.
    /// @param token The token.
    /// @param listed Whether orders in it can be funded from now on.
    event TokenListed(address indexed token, bool listed);
    /// @notice The guardian was appointed, or removed.
    /// @param guardian The account that is allowed to de-list tokens; zero: none.
    event GuardianChanged(address indexed guardian);

    /// @notice No order with these terms was funded.
    /// @param orderId The hash of the terms.
    error OrderNotFound(bytes32 orderId);
    /// @notice An order with these terms was funded before.
    /// @param orderId The order's id.
    error OrderExists(bytes32 orderId);
    /// @notice The caller is not allowed to do this.
    /// @param caller The caller.
    /// @param allowed The account that is.
    /// @param alsoAllowed Another account that is; zero or the same: none.
    error CallerNotAllowed(address caller, address allowed, address alsoAllowed);
    /// @notice The operation is not possible in the order's status.
    /// @param orderId The order's id.
    /// @param status The order's status.
    /// @param allowed Bit n is set if the operation is possible in the status with number n.
    error StatusNotAllowed(bytes32 orderId, Status status, uint256 allowed);
    /// @notice The operation is not possible for the order's release type.
    /// @param orderId The order's id.
    /// @param releaseType The order's release type.
    /// @param allowed The release type for which it is.
    error ReleaseTypeNotAllowed(bytes32 orderId, ReleaseType releaseType, ReleaseType allowed);
    /// @notice Too early or too late.
    /// @param timestamp The block's Unix second.
    /// @param earliest The first second at which the operation is possible.
    /// @param latest The last one; the largest uint256: no limit.
    error OutsideTime(uint256 timestamp, uint256 earliest, uint256 latest);
    /// @notice An account cannot have this role in an order: zero, the escrow itself, another payer than the terms name, a
    /// party as the arbiter, or, where an oracle is required to be independent, one that is not.
    /// @param role The role's name in the terms, as ASCII with zeros behind it.
    /// @param account The account.
    error RoleNotAllowed(bytes32 role, address account);
    /// @notice A number of the terms or of the call is outside its range.
    /// @param field The number's name in the terms or the call, as ASCII with zeros behind it.
    /// @param value The number, in its own unit, like both ends.
    /// @param least The least value that is allowed.
    /// @param most The largest value that is allowed.
    error OutOfRange(bytes32 field, uint256 value, uint256 least, uint256 most);
    /// @notice The calldata of the terms has bits outside a field's type, so their hash would not be their encoding's.
    error TermsNotClean();
    /// @notice Orders in this token cannot be funded.
    /// @param token The terms' token.
    error TokenNotListed(address token);
    /// @notice The escrow's balance did not grow by what the token was asked to move (a fee, or a token that lies).
    /// @param token The terms' token.
    /// @param received How far the balance grew, in the smallest unit; zero if it fell.
    /// @param expected The terms' amount, in the smallest unit.
    error ReceivedOtherAmount(address token, uint256 received, uint256 expected);
    /// @notice The escrow's balance did not fall by what the token was asked to move.
    /// @param token The token.
    /// @param sent How far the balance fell, in the smallest unit; zero if it grew; the largest uint256 if the token did not
    /// answer.
    /// @param expected What was to be sent, in the smallest unit.
    error SentOtherAmount(address token, uint256 sent, uint256 expected);
    /// @notice The signature is not the signer's over this EIP-712 digest: neither by its key nor, where a contract's
    /// signature counts, by ERC-1271.
    /// @param signer The account whose signature is required.
    /// @param digest The EIP-712 digest, domain included.
    error SignatureNotValid(address signer, bytes32 digest);
    /// @notice The order is not proven.
    /// @param orderId The order's id.
    error ProofMissing(bytes32 orderId);
    /// @notice The order is proven.
    /// @param orderId The order's id.
    error ProofAlreadyValid(bytes32 orderId);
    /// @notice A party can take the rest by its own call, and no other party's call changes that.
    /// @param orderId The order's id.
    /// @param party The party.
    error ExitVested(bytes32 orderId, address party);
    /// @notice This side has raised its one dispute.
    /// @param orderId The order's id.
    /// @param side The side.
    error DisputeAlreadyRaised(bytes32 orderId, Side side);
    /// @notice Of this order there are no released funds in the escrow.
    /// @param orderId The order's id.
    error NothingReleased(bytes32 orderId);
    /// @notice The cumulative amount releases nothing beyond what is released already.
    /// @param orderId The order's id.
    /// @param cumulativeAmount As given, in the smallest unit.
    /// @param released The order's released total, in the smallest unit.
    error NothingToRelease(bytes32 orderId, uint256 cumulativeAmount, uint256 released);
    /// @notice The payee withdrew funds of this order on chain, so it is never paid out as fiat. Only in SettlementSkipped.
    /// @param orderId The order's id.
    error AlreadyWithdrawn(bytes32 orderId);
    /// @notice A batch has one token and one off-ramp: those of the first of its orders that can be settled. Only in
    /// SettlementSkipped.
    /// @param orderId The order's id.
    /// @param token The order's token.
    /// @param offRamp The order's off-ramp.
    error OtherBatch(bytes32 orderId, address token, address offRamp);
    /// @notice The account has no credit in this token.
    /// @param account The caller.
    /// @param token The token.
    error NoCredit(address account, address token);

    /// @notice Funds an order from the caller's allowance. Caller: the payer; only the named one, if the terms name one.
    /// @dev Reverts with TermsNotClean, TokenNotListed, OutsideTime after the funding deadline, OrderExists, OutOfRange
    /// (delivery period: 1 second to 3,650 days; amount: not zero; dispute window: 1 minute to 30 days; time lock: 1 to the delivery
    /// deadline on TIME_LOCKED, else zero), RoleNotAllowed (payer, payee, offRamp, arbiter), ReceivedOtherAmount, or as the
    /// token does.
    /// @param terms The order's terms.
    /// @return orderId The order's id.
    function createOrder(Terms calldata terms) external returns (bytes32 orderId);

    /// @notice Funds an order from the allowance of a payer who signed `DeliveryVsPayment(…)` or, for an IMMEDIATE order,
    /// `PaymentIntent(…)`, as the gateway shows it. Caller: the operator.
    /// @dev Reverts with CallerNotAllowed or SignatureNotValid, else as createOrder does. The messages' forms are the spec's,
    /// "Typed data (`data.typedData`)".
    /// @param terms The order's terms.
    /// @param payer The account that signed and pays.
    /// @param payerNamed Whether the signed message names the payer; if not, its `payer` is zero. A contract's signature
    /// (ERC-1271) counts only if the message or the terms name the payer. PaymentIntent never does.
    /// @param signature The payer's, by ECDSA or ERC-1271.
    /// @return orderId The order's id.
    function createOrderFor(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice As createOrderFor, after a permit, which is skipped when the allowance suffices: ERC-2612, or DAI's own form
    /// with the payer's present nonce, `deadline` as expiry and `allowed` = true. Caller: the operator.
    /// @dev Reverts as createOrderFor does, or as the token refuses the permit.
    /// @param terms The order's terms.
    /// @param payer The account that signed and pays.
    /// @param payerNamed As in createOrderFor.
    /// @param signature As in createOrderFor.
    /// @param permit The payer's permit to this contract.
    /// @return orderId The order's id.
    function createOrderForWithPermit(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature,
        Permit calldata permit
    ) external returns (bytes32 orderId);

    /// @notice Funds an order by ERC-3009 `receiveWithAuthorization` whose nonce is the order's id. Caller: the operator.
    /// @dev Reverts with CallerNotAllowed, else as createOrder does; the token verifies the signature, and refuses it in its
    /// own words.
    /// @param terms The order's terms.
    /// @param payer The account that signed and pays.
    /// @param validAfter Unix second after which the authorization is valid.
    /// @param validBefore Unix second before which it is.
    /// @param signature The payer's. 65 bytes are tried as v, r and s; those that the token then refuses of an account with
    /// code, and other lengths, go to the token as bytes.
    /// @return orderId The order's id.
    function createOrderWithAuthorization(
        Terms calldata terms,
        address payer,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice Funds an order by Permit2 `permitWitnessTransferFrom` with `Payment(orderId, payer)` as witness. Caller: the
    /// operator.
    /// @dev Reverts with CallerNotAllowed, else as createOrder does; Permit2 verifies the signature, and refuses it in its
    /// own words.
    /// @param terms The order's terms.
    /// @param payer The account that signed and pays.
    /// @param nonce The unordered Permit2 nonce that the payer signed.
    /// @param deadline Unix second, the signature's last.
    /// @param signature The payer's, in a form that Permit2 takes.
    /// @return orderId The order's id.
    function createOrderWithPermit2(
        Terms calldata terms,
        address payer,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice Created → Shipped, until the delivery deadline. Caller: the independent oracle if there is one, else payee or
    /// operator.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed unless Created, or OutsideTime.
    /// @param terms The order's terms.
    function markShipped(Terms calldata terms) external;

    /// @notice As markShipped, for an independent oracle that signed `Shipment(…)`, which names the order. Caller: anyone.
    /// @dev Reverts with RoleNotAllowed if the oracle is not independent, SignatureNotValid, StatusNotAllowed unless Created,
    /// or OutsideTime.
    /// @param terms The order's terms.
    /// @param oracleSignature The delivery oracle's, by ECDSA or ERC-1271.
    function markShippedFor(Terms calldata terms, bytes calldata oracleSignature) external;

    /// @notice Records a proof of delivery, until the delivery deadline. Caller: the oracle if the terms name one, else payee
    /// or operator. The order becomes Delivered. It becomes proven if the oracle is independent or, on DELIVERY_PROOF and
    /// AUTO_RELEASE, if the hash is the expected one or none is expected; any other proof is evidence. What becomes proven is
    /// released at once on AUTO_RELEASE, and on DELIVERY_PROOF with autoReleaseOnProof. While Disputed only an independent
    /// oracle's proof is recorded, until the dispute's deadline; it changes no status and releases nothing.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed unless open (or Disputed, for an independent oracle),
    /// ProofAlreadyValid, or OutsideTime. Source: spec, "7. Submit delivery proof".
    /// @param terms The order's terms.
    /// @param proofHash The proof's hash.
    /// @param proofURI Where the proof is; not interpreted.
    function submitDeliveryProof(Terms calldata terms, bytes32 proofHash, string calldata proofURI) external;

    /// @notice As submitDeliveryProof, for the terms' oracle, independent or not, that signed `DeliveryProof(…)`. Caller:
    /// anyone.
    /// @dev Reverts with SignatureNotValid in place of CallerNotAllowed, else as submitDeliveryProof does.
    /// @param terms The order's terms.
    /// @param proofHash The proof's hash.
    /// @param proofURI Where the proof is; not interpreted.
    /// @param oracleSignature The delivery oracle's, by ECDSA or ERC-1271.
    function submitDeliveryProofFor(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI,
        bytes calldata oracleSignature
    ) external;

    /// @notice Releases the rest. Caller: the payer, of an unreleased order; the operator, of an open and proven
    /// DELIVERY_PROOF or AUTO_RELEASE order; the payee, of an open and proven MILESTONE_LOCKED order and, after the delivery
    /// deadline, of an open and proven DELIVERY_PROOF or AUTO_RELEASE order.
    /// @dev Reverts for the payer with StatusNotAllowed; for others with CallerNotAllowed, StatusNotAllowed or ProofMissing,
    /// for the operator then with CallerNotAllowed on other types, and for the payee with OutsideTime until the delivery
    /// deadline or ReleaseTypeNotAllowed.
    /// @param terms The order's terms.
    function release(Terms calldata terms) external;

    /// @notice Releases a TIME_LOCKED order that is Shipped or Delivered, from the lock's second on. Caller: anyone.
    /// @dev Reverts with ReleaseTypeNotAllowed, StatusNotAllowed or OutsideTime. Source: spec, "Time-locked release rules".
    /// @param terms The order's terms.
    function releaseTimeLocked(Terms calldata terms) external;

    /// @notice Releases up to `cumulativeAmount` in total of an open MILESTONE_LOCKED order, capped at what was not refunded.
    /// Caller: the payer; until the delivery deadline also the independent oracle or, with autoReleaseOnProof and no oracle,
    /// the operator.
    /// @dev Reverts for others than the payer with CallerNotAllowed, RoleNotAllowed if the terms name an oracle that is not
    /// independent, or OutsideTime; then for all with ReleaseTypeNotAllowed, StatusNotAllowed or NothingToRelease. Source:
    /// spec, "10. Complete milestone".
    /// @param terms The order's terms.
    /// @param cumulativeAmount The released total afterwards, in the smallest unit.
    function releaseMilestone(Terms calldata terms, uint256 cumulativeAmount) external;

    /// @notice As releaseMilestone, for an independent oracle that signed `MilestoneRelease(…)`, until the delivery deadline.
    /// Caller: anyone.
    /// @dev Reverts with RoleNotAllowed if the oracle is not independent, SignatureNotValid, OutsideTime,
    /// ReleaseTypeNotAllowed, StatusNotAllowed or NothingToRelease.
    /// @param terms The order's terms.
    /// @param cumulativeAmount The released total afterwards, in the smallest unit.
    /// @param oracleSignature The delivery oracle's, by ECDSA or ERC-1271.
    function releaseMilestoneFor(
        Terms calldata terms,
        uint256 cumulativeAmount,
        bytes calldata oracleSignature
    ) external;

    /// @notice Sends what the orders have released to their off-ramp, in one transfer: one token and one off-ramp a batch, any
    /// payees. An order that cannot be settled is skipped, and SettlementSkipped says why. Caller: the operator of every group.
    /// @dev Reverts with CallerNotAllowed, SentOtherAmount, or as the token does.
    /// @param groups The orders' terms.
    function settle(SettlementGroup[] calldata groups) external;

    /// @notice Sends what the order has released to the payee. The order gets no fiat payout from then on. Caller: the payee.
    /// @dev Reverts with CallerNotAllowed, NothingReleased, SentOtherAmount, or as the token does.
    /// @param terms The order's terms.
    function withdraw(Terms calldata terms) external;

    /// @notice Returns a part of the rest to the payer; all of it ends the order, as Cancelled. Caller: the payee, of an
    /// unreleased order; the operator, of an open order that is not proven and whose lock has not expired after shipment.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed, for the operator with ProofAlreadyValid or ExitVested, then with
    /// OutOfRange unless the amount is between 1 and the rest, or SentOtherAmount.
    /// @param terms The order's terms.
    /// @param amount What is returned, in the smallest unit.
    function refund(Terms calldata terms, uint256 amount) external;

    /// @notice Returns the rest to the payer, after the delivery deadline of an open order that is neither proven nor a
    /// Shipped or Delivered one whose lock has expired. Caller: the payer who funded it.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed, ProofAlreadyValid, OutsideTime, ExitVested or SentOtherAmount.
    /// @param terms The order's terms.
    function reclaim(Terms calldata terms) external;

    /// @notice Pauses an open order while neither side has a vested exit. Caller: the payer, for the payer's dispute; payee or
    /// operator, for the merchant's. The delivery deadline moves by the window and the terms' window, which is the least that
    /// is left after an undecided dispute.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed, DisputeAlreadyRaised, ExitVested or OutOfRange. Source: spec,
    /// "8. Raise dispute".
    /// @param terms The order's terms.
    /// @param window Seconds, between the terms' and 30 days; the merchant's dispute also ends the terms' window before a
    /// lock that still runs.
    /// @param reason For the reader of the event; not interpreted.
    function raiseDispute(Terms calldata terms, uint40 window, string calldata reason) external;

    /// @notice Raises the payer's dispute for a payer who signed `Dispute(…)`. Caller: the operator.
    /// @dev Reverts with CallerNotAllowed, OutsideTime after the signature's deadline, SignatureNotValid, StatusNotAllowed,
    /// DisputeAlreadyRaised, ExitVested or OutOfRange.
    /// @param terms The order's terms.
    /// @param window Seconds, between the terms' and 30 days.
    /// @param reason As the payer signed it.
    /// @param deadline Unix second, the signature's last.
    /// @param payerSignature The payer's, by ECDSA or ERC-1271.
    function raiseDisputeFor(
        Terms calldata terms,
        uint40 window,
        string calldata reason,
        uint256 deadline,
        bytes calldata payerSignature
    ) external;

    /// @notice Splits the rest of a Disputed order, until the dispute's deadline. Caller: the arbiter.
    /// @dev Reverts with CallerNotAllowed, StatusNotAllowed unless Disputed, OutsideTime, or SentOtherAmount. Source, as of
    /// the next two: spec, "Dispute resolution".
    /// @param terms The order's terms.
    /// @param payeeAmount The payee's part of the rest, in the smallest unit (all of it, if it is more); the payer gets what
    /// remains.
    function resolveDispute(Terms calldata terms, uint256 payeeAmount) external;

    /// @notice As resolveDispute, at any time while Disputed, for two parties who both signed `DisputeAgreement(…)`, whose
    /// `raisedBy` names the dispute that it ends. Caller: anyone.
    /// @dev Reverts with StatusNotAllowed unless Disputed, OutsideTime after the agreement's deadline, SignatureNotValid, or
    /// SentOtherAmount.
    /// @param terms The order's terms.
    /// @param payeeAmount As in resolveDispute.
    /// @param deadline Unix second, the agreement's last.
    /// @param payerSignature The payer's, by ECDSA or ERC-1271.
    /// @param payeeSignature The payee's, by ECDSA or ERC-1271.
    function resolveDisputeByAgreement(
        Terms calldata terms,
        uint256 payeeAmount,
        uint256 deadline,
        bytes calldata payerSignature,
        bytes calldata payeeSignature
    ) external;

    /// @notice Ends a dispute after its deadline. A TIME_LOCKED order, and one that the merchant's side disputed, resumes.
    /// Otherwise: proven, the payee gets the rest; not proven, on DELIVERY_PROOF and AUTO_RELEASE without an independent
    /// oracle, the payer; else it resumes. Caller: anyone.
    /// @dev Reverts with StatusNotAllowed unless Disputed, OutsideTime until the dispute's deadline, or SentOtherAmount.
    /// @param terms The order's terms.
    function resolveExpiredDispute(Terms calldata terms) external;

    /// @notice Sends the caller's credit in `token` to the caller. Caller: an account with a credit.
    /// @dev Reverts with NoCredit, SentOtherAmount, or as the token does.
    /// @param token The credit's token.
    /// @return amount What was sent, in the smallest unit.
    function claimCredit(address token) external returns (uint256 amount);

    /// @notice Decides whether new orders can be funded in a token; funded orders are not affected. Caller: the owner; to
    /// de-list, the guardian too.
    /// @dev Reverts with CallerNotAllowed.
    /// @param token The token.
    /// @param listed Whether orders in it can be funded.
    function setTokenListed(address token, bool listed) external;

    /// @notice Appoints the guardian. Caller: the owner.
    /// @dev Reverts with OpenZeppelin's OwnableUnauthorizedAccount.
    /// @param guardian_ The account that is allowed to de-list tokens; zero: none.
    function setGuardian(address guardian_) external;

    /// @notice The id of an order with these terms, funded or not. Caller: anyone.
    /// @param terms The order's terms.
    /// @return keccak256(abi.encode(chain id at deployment, contract, terms)).
    function orderIdOf(Terms calldata terms) external view returns (bytes32);

    /// @notice The order with these terms; zero throughout if it was never funded. Caller: anyone.
    /// @dev It takes the terms, not the id, because one slot an order has no room for the amount: the amounts follow from
    /// status and terms unless milestones, a split or a partial refund made them differ.
    /// @param terms The order's terms.
    /// @return Its state.
    function getOrder(Terms calldata terms) external view returns (Order memory);

    /// @notice Whether orders in a token can be funded. Caller: anyone.
    /// @param token The token.
    /// @return Whether they can.
    function isTokenListed(address token) external view returns (bool);

    /// @notice An account's credit. Caller: anyone.
    /// @param account The account.
    /// @param token The token.
    /// @return What claimCredit would send, in the smallest unit.
    function creditOf(address account, address token) external view returns (uint256);
}
