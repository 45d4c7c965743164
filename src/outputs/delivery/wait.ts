/** Waiting that an AbortSignal ends. */

/** Resolves when the promise has, or when the signal is aborted. Rejects when the promise does before that. */
export async function endedOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return;
  }
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
