import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';
import { testRunsUnder } from './check-folder.js';

describe('the recorded runs in samples/', () => {
  testRunsUnder(fileURLToPath(new URL('../../samples/', import.meta.url)));
});
