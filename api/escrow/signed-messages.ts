// The EIP-712 types that an order's oracle or parties sign for escrow operations, as declared by the contract
// (contracts/parts/OrderTerms.sol). The domain is that of the payer's typed data (data.typedData.domain).
const ORDER = "string intentId,address payee,uint256 amount,address token";

export const DELIVERY_PROOF = `DeliveryProof(${ORDER},bytes32 proofHash,string proofURI)`;
export const SHIPMENT = `Shipment(${ORDER})`;
export const DISPUTE = `Dispute(${ORDER},string reason,uint256 window,uint256 deadline)`;
export const DISPUTE_AGREEMENT = `DisputeAgreement(${ORDER},string raisedBy,uint256 payeeAmount,uint256 deadline)`;
