// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The escrow's interface: terms, states, events, errors and operations.
/// @notice An order is identified by the hash of its terms, so whoever holds the terms can name the order before it
/// exists, and whoever signs the id has signed every term. Amounts are in the token's smallest unit; times are Unix
/// seconds; periods are seconds.
interface IDeliveryVsPayment {
    /// @notice How an order's funds come free.
    enum ReleaseType {
        DELIVERY_PROOF, // by the payer or, after a valid proof, by the operator; by the proof itself if autoReleaseOnProof
        TIME_LOCKED, // by anyone, once timeLockUntil has passed and the order is Shipped or Delivered
        MILESTONE_LOCKED, // part by part, in index order
        AUTO_RELEASE, // by a valid proof itself
        IMMEDIATE // as soon as it is funded
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

    /// @notice Everything that the parties agreed on. Its hash, with chain and contract, is the order's id.
    struct Terms {
        bytes32 salt; // makes two orders with equal terms two orders
        address operator; // the gateway: relays, marks shipped, settles
        address arbiter; // decides disputes; nobody if zero
        address deliveryOracle; // the only one whose proof counts; payee or operator prove if zero
        address payee; // the merchant's account
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

    /// @notice An order as getOrder tells it. `payer` is zero for an order that was never funded.
    struct Order {
        address payer;
        uint40 deliveryDeadline;
        uint40 disputeDeadline; // zero until a dispute is raised; kept afterwards: an order is disputed once
        Status status;
        bool proven; // a valid proof was given
        bool withdrawn; // the payee took funds on chain: no fiat payout ever
        uint120 released;
        uint120 taken; // settled + withdrawn, at most `released`
        uint16 milestones; // how many were released
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
    event DeliveryProofSubmitted(
        bytes32 indexed orderId,
        address indexed submittedBy,
        bytes32 proofHash,
        string proofURI,
        bool valid
    );
    /// @notice `amount` came free; with it the whole of the order did (a milestone's part has its own event).
    event FundsReleased(bytes32 indexed orderId, address indexed actor, Cause cause, uint256 amount);
    /// @notice A milestone's `amount` came free. `complete`: nothing is left to release.
    event MilestoneReleased(
        bytes32 indexed orderId,
        uint256 indexed milestoneIndex,
        address indexed actor,
        uint256 amount,
        bool complete
    );
    /// @notice Released funds left for the off-ramp, to be paid out as fiat.
    event OrderSettled(bytes32 indexed orderId, address indexed offRamp, uint256 amount);
    /// @notice An order of a batch that could not be settled, and why (an error's ABI encoding).
    event SettlementSkipped(bytes32 indexed orderId, bytes reason);
    /// @notice Released funds were taken by the payee on chain.
    event OrderWithdrawn(bytes32 indexed orderId, address indexed payee, uint256 amount);
    /// @notice The unreleased rest went back to the payer; the order is Cancelled.
    event OrderRefunded(bytes32 indexed orderId, address indexed actor, Cause cause, uint256 amount);
    event DisputeRaised(bytes32 indexed orderId, address indexed raisedBy, uint40 disputeDeadline, string reason);
    /// @notice The unreleased rest was split. The payer's part has left; the payee's part awaits settlement.
    event DisputeResolved(
        bytes32 indexed orderId,
        address indexed actor,
        Cause cause,
        uint256 payeeAmount,
        uint256 payerAmount
    );
    /// @notice A transfer to `account` failed; the amount waits to be claimed.
    event CreditAdded(bytes32 indexed orderId, address indexed account, address indexed token, uint256 amount);
    event CreditClaimed(address indexed account, address indexed token, address to, uint256 amount);
    event TokenListed(address indexed token, bool listed);

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
    /// @notice `account` cannot have this role in an order (zero, the escrow itself, or a party as its own arbiter).
    error RoleNotAllowed(bytes32 role, address account);
    /// @notice A number of the terms or of the call is outside its range, both ends included. `field` is its name.
    error OutOfRange(bytes32 field, uint256 value, uint256 least, uint256 most);
    /// @notice The calldata of the terms has bits outside a field's type, so their hash would not be their encoding's.
    error TermsNotClean();
    error TokenNotListed(address token);
    /// @notice The token moved another amount than it was asked for (a fee, or a token that lies).
    error ReceivedOtherAmount(address token, uint256 received, uint256 expected);
    /// @notice The signature is not `signer`'s over the data that `digest` stands for.
    error SignatureNotValid(address signer, bytes32 digest);
    error ProofMissing(bytes32 orderId);
    error ProofAlreadyValid(bytes32 orderId);
    /// @notice The order's time lock has run out in the payee's favour: nobody else can take the funds back, nor dispute.
    error TimeLockExpired(bytes32 orderId, uint256 timeLockUntil);
    error DisputeAlreadyRaised(bytes32 orderId);
    error NothingReleased(bytes32 orderId);
    /// @notice The payee took funds of this order on chain, so it is never paid out as fiat.
    error AlreadyWithdrawn(bytes32 orderId);
    /// @notice A batch has one token and one off-ramp: those of the first of its orders that can be settled.
    error OtherBatch(bytes32 orderId, address token, address offRamp);
    error NoCredit(address account, address token);

    /// @notice Funds an order; the caller pays from its allowance.
    function createOrder(Terms calldata terms) external returns (bytes32 orderId);

    /// @notice Funds an order for a payer who signed the typed data that the gateway shows. Operator only.
    /// @param payerNamed Whether the signed message names the payer; if not, its `payer` is zero and only ECDSA counts.
    function createOrderFor(
        Terms calldata terms,
        address payer,
        bool payerNamed,
        bytes calldata signature
    ) external returns (bytes32 orderId);

    /// @notice As createOrderFor, after an ERC-2612 permit (skipped when the allowance suffices already).
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

    function markShipped(Terms calldata terms) external;

    function submitDeliveryProof(Terms calldata terms, bytes32 proofHash, string calldata proofURI) external;

    /// @notice As submitDeliveryProof, for an oracle that signed `DeliveryProof(orderId, proofHash, proofURI)`.
    function submitDeliveryProofFor(
        Terms calldata terms,
        bytes32 proofHash,
        string calldata proofURI,
        bytes calldata oracleSignature
    ) external;

    function release(Terms calldata terms) external;

    function releaseTimeLocked(Terms calldata terms) external;

    function releaseMilestone(Terms calldata terms, uint256 milestoneIndex, uint256 amount) external;

    /// @notice As releaseMilestone, for an oracle that signed `MilestoneRelease(orderId, milestoneIndex, amount)`.
    function releaseMilestoneFor(
        Terms calldata terms,
        uint256 milestoneIndex,
        uint256 amount,
        bytes calldata oracleSignature
    ) external;

    /// @notice Sends what the orders have released to their off-ramp: one token and one off-ramp a batch, any payees.
    /// An order that cannot be settled is skipped and reported.
    function settle(Terms[] calldata orders) external;

    function withdraw(Terms calldata terms) external;

    function refund(Terms calldata terms) external;

    function reclaim(Terms calldata terms) external;

    /// @notice Pauses an open order, once; a TIME_LOCKED one that was shipped or delivered only until its lock's end.
    /// @param raisedBy Payer or payee: the caller, or the party for whom the operator speaks.
    function raiseDispute(Terms calldata terms, address raisedBy, uint40 window, string calldata reason) external;

    /// @param payeeAmount The payee's part of the unreleased rest; the payer gets the others.
    function resolveDispute(Terms calldata terms, uint256 payeeAmount) external;

    /// @notice As resolveDispute, for two parties who both signed `DisputeAgreement(orderId, payeeAmount)`.
    function resolveDisputeByAgreement(
        Terms calldata terms,
        uint256 payeeAmount,
        bytes calldata payerSignature,
        bytes calldata payeeSignature
    ) external;

    function resolveExpiredDispute(Terms calldata terms) external;

    /// @notice Pays out the caller's credit in `token` to `to`.
    function claimCredit(address token, address to) external returns (uint256 amount);

    function setTokenListed(address token, bool listed) external;

    function pause() external;

    function unpause() external;

    function orderIdOf(Terms calldata terms) external view returns (bytes32);

    /// @notice The order with these terms. It takes the terms, not the id, because one slot an order has no room for the
    /// amount: `released` and `taken` follow from status and terms unless milestones or a split made them differ.
    function getOrder(Terms calldata terms) external view returns (Order memory);

    function isTokenListed(address token) external view returns (bool);

    function creditOf(address account, address token) external view returns (uint256);
}
