/** Jest in ESM mode over swc: the tests run the TypeScript sources, not dist/. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  setupFiles: ['<rootDir>/test/property-seed.ts'],
  // Above what a test waits for something (test/until.ts), so that it fails with words of its own.
  testTimeout: 120_000,
  // Many tests wait for services: two at a time halve the time, more would make them wait for the processor.
  maxWorkers: 2,
};
