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
        MILESTONE,
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

    /// @notice An order as stored. `payer` is zero for an order that was never funded.
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

    function getOrder(bytes32 orderId) external view returns (Order memory);

    function isTokenListed(address token) external view returns (bool);

    function creditOf(address account, address token) external view returns (uint256);
}
