// Preloaded into the roles and the chain: asks them to end when their supervisor is gone, and insists a little later.
import { onParentGone } from "./end-with-parent.ts";

const GRACE_MS = 5_000;

onParentGone(() => {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), GRACE_MS).unref();
  process.kill(process.pid, "SIGTERM");
});
