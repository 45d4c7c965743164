/** How the other outputs fare, from their reports. */
import type { DeliveryReport } from '../output.js';
import type { Family, Sample } from './family.js';

interface Totals {
  delivered: number;
  refused: number;
  waiting: number;
}

export class DeliveryTotals {
  readonly #outputs = new Map<string, Totals>();

  add(output: string, { delivered, waiting, refused }: DeliveryReport): void {
    const totals = this.#outputs.get(output) ?? { delivered: 0, refused: 0, waiting: 0 };
    this.#outputs.set(output, totals);
    totals.delivered += delivered;
    totals.refused += sum(refused);
    totals.waiting = sum(waiting);
  }

  families(): Family[] {
    const of = (field: keyof Totals): Sample[] =>
      [...this.#outputs].map(([output, totals]) => ({ labels: { output }, value: totals[field] }));
    const counter = { type: 'counter', unit: '1' } as const;
    return [
      {
        ...counter,
        name: 'skewscope_messages_delivered_total',
        help: 'Messages that an output delivered.',
        samples: of('delivered'),
      },
      {
        ...counter,
        name: 'skewscope_messages_refused_total',
        help: 'Messages that a receiver turned down for good.',
        samples: of('refused'),
      },
      {
        name: 'skewscope_messages_waiting',
        help: 'Messages that wait for their receiver.',
        type: 'gauge',
        unit: '1',
        samples: of('waiting'),
      },
    ];
  }
}

function sum(entries: DeliveryReport['waiting']): number {
  return entries.reduce((total, { count }) => total + count, 0);
}
