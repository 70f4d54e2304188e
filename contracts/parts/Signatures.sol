// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";

/// @title Verification of signatures.
library Signatures {
    /// @notice Reverts with SignatureNotValid unless the signature was made with the key of `signer`.
    /// @param signer The required signer; the zero address never matches.
    /// @param digest The EIP-712 digest, including the domain.
    /// @param signature 65 bytes: r, s in the lower half of its range, and v.
    function requireKey(address signer, bytes32 digest, bytes calldata signature) internal pure {
        if (!_byKey(signer, digest, signature)) revert IDeliveryVsPayment.SignatureNotValid(signer, digest);
    }

    /// @notice Reverts with SignatureNotValid unless the signature was made with the key of `signer`, or `signer` is a
    /// contract that validates it (ERC-1271).
    /// @dev The key is checked first: an EIP-7702 account has code, but its key controls it regardless of that code.
    /// @param signer The required signer; the zero address never matches.
    /// @param digest The EIP-712 digest, including the domain.
    /// @param signature As in requireKey; for a contract, any bytes that it accepts.
    function requireSigner(address signer, bytes32 digest, bytes calldata signature) internal view {
        if (_byKey(signer, digest, signature)) return;
        if (signer.code.length != 0 && _byContract(signer, digest, signature)) return;
        revert IDeliveryVsPayment.SignatureNotValid(signer, digest);
    }

    function _byKey(address signer, bytes32 digest, bytes calldata signature) private pure returns (bool) {
        (address recovered, ECDSA.RecoverError err, ) = ECDSA.tryRecoverCalldata(digest, signature);
        return err == ECDSA.RecoverError.NoError && recovered == signer;
    }

    function _byContract(address signer, bytes32 digest, bytes calldata signature) private view returns (bool) {
        return SignatureChecker.isValidERC1271SignatureNowCalldata(signer, digest, signature);
    }
}
