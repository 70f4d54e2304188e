// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {IDeliveryVsPayment} from "../IDeliveryVsPayment.sol";

/// @title Whose signature counts.
library Signatures {
    /// @notice Reverts with SignatureNotValid unless `signer` made the signature with its own key.
    /// @param signer Whose signature is required; zero's never is.
    /// @param digest The EIP-712 digest, domain included.
    /// @param signature 65 bytes: r, s in its lower half, and v.
    function requireKey(address signer, bytes32 digest, bytes calldata signature) internal pure {
        if (!_byKey(signer, digest, signature)) revert IDeliveryVsPayment.SignatureNotValid(signer, digest);
    }

    /// @notice Reverts with SignatureNotValid unless `signer` made the signature with its own key, or is a contract that
    /// stands by it (ERC-1271).
    /// @dev The key comes first: an EIP-7702 account has code, but its key controls it, with any code.
    /// @param signer Whose signature is required; zero's never is.
    /// @param digest The EIP-712 digest, domain included.
    /// @param signature As in requireKey; of a contract, what the contract takes.
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
