/** The signals of OTLP, and for each whether it is sent. */
import { hasGeneralEndpoint, hasOwnEndpoint, namesEndpoint } from './endpoint-variables.js';
import type { OtelEnvironment } from './environment.js';

export const SIGNALS = ['traces', 'logs', 'metrics'] as const;
export type Signal = (typeof SIGNALS)[number];

/** What flags and the configuration say of it. */
export interface SignalWishes extends Readonly<Partial<Record<Signal, boolean>>> {
  /** Of all signals. */
  readonly endpoint?: string;
}

export interface SignalChoice {
  /** To the receiver of OTLP. */
  readonly otlp: boolean;
  /** To people, by the environment. */
  readonly console: boolean;
  /** It was told that this signal is not wanted at all. */
  readonly off: boolean;
  /** Somebody named this very signal, so that not getting it across is a failure. */
  readonly asked: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The configuration goes before the variables; endpoints of other signals alone do not ask for this one. */
export function choiceOf(signal: Signal, wishes: SignalWishes, told: OtelEnvironment, env: Env): SignalChoice {
  const wish = wishes[signal];
  const exporters = told.exporters[signal];
  if (told.disabled || wish === false) return OFF;
  if (wish === true) return { ...OFF, otlp: true, asked: true, off: false };
  if (exporters !== undefined) {
    const otlp = exporters.includes('otlp');
    const console = exporters.includes('console');
    return { otlp, console, off: exporters.every((name) => name === 'none'), asked: otlp };
  }
  const own = hasOwnEndpoint(signal, env);
  const general = wishes.endpoint !== undefined || hasGeneralEndpoint(env);
  return { otlp: own || general || !namesEndpoint(env), console: false, off: false, asked: own };
}

const OFF: SignalChoice = { otlp: false, console: false, off: true, asked: false };
