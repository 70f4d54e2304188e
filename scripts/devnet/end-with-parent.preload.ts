// Preloaded into the roles and the chain: asks them to end when their supervisor is gone, and insists a little later.
import { onParentGone } from "./end-with-parent.ts";

const GRACE_MS = 5_000;

onParentGone(() => {
  setTimeout(() => signalGroup("SIGKILL"), GRACE_MS).unref();
  signalGroup("SIGTERM");
});

/** This process leads a group of its own (child.ts): what it has started itself ends with it. */
function signalGroup(name: NodeJS.Signals): void {
  process.kill(-process.pid, name);
}
