// Deploys the escrow. `owner` (best a multisig) then lists the tokens; until it does, nothing can be funded.
// Parameters and commands: contracts/README.md, "Deploy".
import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";

const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

export default buildModule("DeliveryVsPayment", (m) => ({
  escrow: m.contract("DeliveryVsPayment", [m.getParameter("owner"), m.getParameter("permit2", PERMIT2)]),
}));
