/** A metric and its values before they take the form of the SDK: name, meaning, and one sample for each set of labels. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  /** `counter` values only grow while the program runs. */
  readonly type: 'counter' | 'gauge';
  /** UCUM: `s`, `By`, or `1`. */
  readonly unit: string;
  readonly samples: readonly Sample[];
}
