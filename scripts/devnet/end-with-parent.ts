// Ends a child process when its parent is gone, even after kill -9, when no process is left to stop it.

/** Environment variable with the pid of the expected parent. */
export const END_WITH_PARENT = "END_WITH_PARENT";

const POLL_MS = 250;

/** Calls back once, when this process's parent is no longer the one in the environment variable. */
export function onParentGone(callback: () => void): void {
  const parent = Number(process.env[END_WITH_PARENT]);
  if (!parent) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, POLL_MS);
  timer.unref();
}
