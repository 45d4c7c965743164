/** Why there was nothing to judge: no usable record at all, or none in the time that was asked for. */
import type { Analysis } from '../model/analysis.js';
import { formatTime } from '../model/time.js';

/** What to tell the user; undefined when something was judged. */
export function whyNothing(analysis: Analysis): string | undefined {
  if (!analysis.inputs.some(({ records }) => records > 0)) return NOTHING_USABLE;
  const { leftOut } = analysis;
  if (leftOut === undefined || leftOut.kept > 0 || leftOut.recorded === null) return undefined;
  const { from, to } = leftOut.recorded;
  return (
    `no record in the time that was asked for: the logs reach from ${formatTime(from)} to ${formatTime(to)}; ` +
    'a time such as 2h counts back from now, not from the end of the logs'
  );
}

const NOTHING_USABLE =
  'nothing usable in the input: give audit logs (JSON lines, EventLists), process logs (klog), lease lists, discovery documents or metrics of kube-apiservers';
