import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';
import { testRunsUnder } from './check-folder.js';

const captures = fileURLToPath(new URL('../../../shared/captures/', import.meta.url));
const present = existsSync(captures);
// The whole collection is not part of the repository: shown as skipped where it is not at hand.
const whenPresent = present ? describe : describe.skip;

whenPresent('all recorded runs', () => {
  testRunsUnder(present ? captures : fileURLToPath(new URL('../../samples/', import.meta.url)));
});
