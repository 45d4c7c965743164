/** Records on their way out of the formats stage, with the senders that the envelopes around them name. */
import type { Rec } from '../model/record.js';

/** Who an envelope says wrote a record: the name of a node where there is one, else of a pod; and the cluster. '' where it does not say. */
export interface SenderName {
  readonly writer: string;
  readonly cluster: string;
}

/** Takes a record that is complete; `sender` where an envelope stood around it. */
export type Emit = (record: Rec, sender?: SenderName) => void;

/** Senders of one input that are told apart; the records of those beyond belong to nobody. */
const MAX_SENDERS = 256;
export const UNNAMED: SenderName = { writer: '', cluster: '' };

export class Outbox {
  /** The senders named so far; the first is nobody. It only grows. */
  readonly names: SenderName[] = [UNNAMED];
  /** Records whose sender was one too many. */
  unnamed = 0;
  private records: Rec[] = [];
  private senders: number[] | undefined;
  private readonly numbers = new Map<string, number>();

  readonly emit: Emit = (record, sender) => {
    const number = sender === undefined ? 0 : this.numberOf(sender);
    if (number > 0) this.senders ??= new Array<number>(this.records.length).fill(0);
    this.senders?.push(number);
    this.records.push(record);
  };

  /** All records since the last call, and for each the number of its sender; undefined when none of them is named. */
  take(): { readonly records: Rec[]; readonly senders: readonly number[] | undefined } {
    const { records, senders } = this;
    this.records = [];
    this.senders = undefined;
    return { records, senders };
  }

  private numberOf({ writer, cluster }: SenderName): number {
    if (writer === '' && cluster === '') return 0;
    const key = `${cluster}\n${writer}`;
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    if (this.names.length > MAX_SENDERS) {
      this.unnamed += 1;
      return 0;
    }
    this.numbers.set(key, this.names.length);
    return this.names.push({ writer, cluster }) - 1;
  }
}
