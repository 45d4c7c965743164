/** Whether the process lives and whether it is of use, for whoever restarts it or sends people to it. */

import { type Answer, textAnswer } from '../../http/answer.js';
import type { ServiceView } from '../view.js';

export interface HealthOptions {
  /** Whether the asker may know why. */
  readonly trusted: boolean;
  /** One reason a line. */
  readonly verbose: boolean;
}

export function livez(view: ServiceView, options: HealthOptions): Answer {
  return health('alive', 'dead', view.deadReasons(), options);
}

/** Who cannot go on is not ready either. */
export function readyz(view: ServiceView, options: HealthOptions): Answer {
  return health('ready', 'not ready', [...view.deadReasons(), ...view.unreadyReasons()], options);
}

function health(good: string, bad: string, reasons: readonly string[], { trusted, verbose }: HealthOptions): Answer {
  if (reasons.length === 0) return textAnswer(200, `${good}\n`);
  if (!trusted) return textAnswer(503, `${bad}\n`);
  const lines = reasons.map((reason) => reason.replace(/\s+/g, ' '));
  return textAnswer(
    503,
    verbose ? `${bad}\n${lines.map((line) => `- ${line}\n`).join('')}` : `${bad}: ${lines.join('; ')}\n`,
  );
}
