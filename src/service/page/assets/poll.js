/** Does something again and again while the reader can see the page. */

/**
 * Begins at once; `work` never runs twice at a time. While the tab is hidden nothing runs, and when it is shown again
 * something does at once. Gives a function that runs it now.
 * @param {() => Promise<boolean>} work true: well done; false: the pause grows, up to five times as long
 * @param {number} pauseMs
 */
export function poll(work, pauseMs) {
  let running = false;
  let again = false;
  let failures = 0;
  let timer = 0;
  const run = async () => {
    clearTimeout(timer);
    if (running) {
      again = true;
      return;
    }
    running = true;
    failures = (await work()) ? 0 : Math.min(failures + 1, 4);
    running = false;
    if (again) {
      again = false;
      void run();
    } else if (!document.hidden) {
      timer = window.setTimeout(run, pauseMs * (1 + failures));
    }
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void run();
  });
  void run();
  return () => void run();
}
