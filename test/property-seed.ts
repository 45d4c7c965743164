/** Before each test file: SKEWSCOPE_SEED makes property tests try the same cases every time; without it they vary. */
import fc from 'fast-check';

const seed = process.env.SKEWSCOPE_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
