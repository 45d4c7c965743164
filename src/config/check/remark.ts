/** What a check has to say of one key of the configuration. */
import type { Path } from '../explain.js';

export interface Remark {
  readonly level: 'mistake' | 'warning';
  readonly path: Path;
  /** To be put behind the name of the key; without secrets. */
  readonly message: string;
}
