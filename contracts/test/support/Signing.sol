// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IDeliveryVsPayment} from "../../IDeliveryVsPayment.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {Vm} from "./Vm.sol";

/// @title A second, different implementation of the signed messages, against which the contract's own is checked.
abstract contract Signing {
    Vm private constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev The part of the type string that Permit2 expects after "uint256 deadline,".
    string internal constant PERMIT2_WITNESS_TYPE =
        "Payment witness)Payment(bytes32 orderId,address payer)TokenPermissions(address token,uint256 amount)";

    function permit2Witness(bytes32 orderId, address payer) internal pure returns (bytes32) {
        return keccak256(abi.encode(keccak256("Payment(bytes32 orderId,address payer)"), orderId, payer));
    }

    function sign(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = VM.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function domainSeparator(string memory name, address contract_) internal view returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                    keccak256(bytes(name)),
                    keccak256("1"),
                    block.chainid,
                    contract_
                )
            );
    }

    function digestOf(address contract_, bytes32 structHash) internal view returns (bytes32) {
        return _digest(domainSeparator("DeliveryVsPayment", contract_), structHash);
    }

    function _digest(bytes32 separator, bytes32 structHash) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", separator, structHash));
    }

    /// @dev Returns "intent_" followed by the order's id in lower-case hex.
    function intentIdOf(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms
    ) internal view virtual returns (bytes memory text) {
        bytes memory hexId = bytes(Strings.toHexString(uint256(escrow.orderIdOf(terms)), 32));
        text = bytes("intent_");
        for (uint256 i = 2; i < hexId.length; i++) text = abi.encodePacked(text, hexId[i]);
    }

    /// @dev `named` is the payer in the message; zero if the message names none.
    function paymentDigest(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms,
        address named
    ) internal view returns (bytes32) {
        bytes32 typeHash = keccak256(
            "DeliveryVsPayment(string intentId,address payer,address payee,uint256 amount,address token,uint256 deadline)"
        );
        return
            digestOf(
                address(escrow),
                keccak256(
                    abi.encode(
                        typeHash,
                        keccak256(intentIdOf(escrow, terms)),
                        named,
                        terms.payee,
                        terms.amount,
                        terms.token,
                        terms.fundingDeadline
                    )
                )
            );
    }

    function intentDigest(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms
    ) internal view returns (bytes32) {
        bytes32 typeHash = keccak256("PaymentIntent(bytes32 intentId,uint256 amount,uint256 nonce)");
        return digestOf(address(escrow), keccak256(abi.encode(typeHash, escrow.orderIdOf(terms), terms.amount, 0)));
    }

    /// @dev Returns the digest of a message about a funded order. `fields` and `values` are appended to the order's
    /// fields.
    function orderDigest(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms,
        string memory name,
        string memory fields,
        bytes memory values
    ) internal view returns (bytes32) {
        string memory type_ = string.concat(
            name,
            "(string intentId,address payee,uint256 amount,address token",
            fields,
            ")"
        );
        bytes memory order = abi.encode(keccak256(intentIdOf(escrow, terms)), terms.payee, terms.amount, terms.token);
        return digestOf(address(escrow), keccak256(abi.encodePacked(keccak256(bytes(type_)), order, values)));
    }

    function proofDigest(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms,
        bytes32 proofHash,
        string memory uri
    ) internal view returns (bytes32) {
        bytes memory values = abi.encode(proofHash, keccak256(bytes(uri)));
        return orderDigest(escrow, terms, "DeliveryProof", ",bytes32 proofHash,string proofURI", values);
    }

    function milestoneDigest(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms,
        uint256 cumulativeAmount
    ) internal view returns (bytes32) {
        bytes memory values = abi.encode(cumulativeAmount);
        return orderDigest(escrow, terms, "MilestoneRelease", ",uint256 cumulativeAmount", values);
    }

    function shipmentDigest(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms
    ) internal view returns (bytes32) {
        return orderDigest(escrow, terms, "Shipment", "", "");
    }

    function disputeDigest(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms,
        uint256 window,
        string memory reason,
        uint256 deadline
    ) internal view returns (bytes32) {
        bytes memory values = abi.encode(keccak256(bytes(reason)), window, deadline);
        return orderDigest(escrow, terms, "Dispute", ",string reason,uint256 window,uint256 deadline", values);
    }

    function agreementDigest(
        IDeliveryVsPayment escrow,
        IDeliveryVsPayment.Terms memory terms,
        IDeliveryVsPayment.Side side,
        uint256 payeeAmount,
        uint256 deadline
    ) internal view returns (bytes32) {
        string memory raisedBy = side == IDeliveryVsPayment.Side.MERCHANT ? "merchant" : "payer";
        bytes memory values = abi.encode(keccak256(bytes(raisedBy)), payeeAmount, deadline);
        string memory fields = ",string raisedBy,uint256 payeeAmount,uint256 deadline";
        return orderDigest(escrow, terms, "DisputeAgreement", fields, values);
    }

    function authorizationDigest(
        bytes32 separator,
        address from,
        address to,
        uint256 value,
        uint256 validBefore,
        bytes32 nonce
    ) internal pure returns (bytes32) {
        bytes32 typeHash = keccak256(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        bytes32 structHash = keccak256(abi.encode(typeHash, from, to, value, 0, validBefore, nonce));
        return _digest(separator, structHash);
    }

    function permitDigest(
        bytes32 separator,
        address owner_,
        address spender,
        uint256 value,
        uint256 nonce,
        uint256 deadline
    ) internal pure returns (bytes32) {
        bytes32 typeHash = keccak256(
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
        );
        bytes32 structHash = keccak256(abi.encode(typeHash, owner_, spender, value, nonce, deadline));
        return _digest(separator, structHash);
    }

    function daiPermitDigest(
        bytes32 separator,
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed
    ) internal pure returns (bytes32) {
        bytes32 typeHash = keccak256(
            "Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)"
        );
        bytes32 structHash = keccak256(abi.encode(typeHash, holder, spender, nonce, expiry, allowed));
        return _digest(separator, structHash);
    }
}
