// The payment page: who is paid, for what, and the payer's way through it.
import { mount } from "../ui/mount.tsx";
import { PaymentPage } from "./payment-page.tsx";

mount(<PaymentPage />);
