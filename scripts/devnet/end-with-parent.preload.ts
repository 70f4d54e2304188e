// Preloaded into the roles and the chain. Sends SIGTERM to the process when its supervisor is gone, and SIGKILL after a
// grace period.
import { onParentGone } from "./end-with-parent.ts";

const GRACE_MS = 5_000;

onParentGone(() => {
  setTimeout(() => signalGroup("SIGKILL"), GRACE_MS).unref();
  signalGroup("SIGTERM");
});

/** This process leads its own group (child.ts), so the signal also reaches its children. */
function signalGroup(name: NodeJS.Signals): void {
  process.kill(-process.pid, name);
}
