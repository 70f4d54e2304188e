// Ends a child process when the process that started it is gone, even by kill -9: nobody is left to stop it then.

/** Names the pid whose child this process is meant to be. */
export const END_WITH_PARENT = "END_WITH_PARENT";

const LOOK_EVERY_MS = 250;

/** Calls back once when the parent named in the environment is no longer this process's parent. */
export function onParentGone(callback: () => void): void {
  const parent = Number(process.env[END_WITH_PARENT]);
  if (!parent) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, LOOK_EVERY_MS);
  timer.unref();
}
