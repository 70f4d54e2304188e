// Preloaded into the roles and the chain: asks them to exit when their supervisor is gone, and kills them a little
// later.
import { onParentGone } from "./end-with-parent.ts";

const GRACE_MS = 5_000;

onParentGone(() => {
  setTimeout(() => signalGroup("SIGKILL"), GRACE_MS).unref();
  signalGroup("SIGTERM");
});

/** This process leads its own group (child.ts), so its children exit with it. */
function signalGroup(name: NodeJS.Signals): void {
  process.kill(-process.pid, name);
}
