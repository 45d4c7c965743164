/** Sources of bytes: files, folders, globs, standard input, and files that are still written. */
export { type Assigned, type Assignment, assignSources } from './assign.js';
export { type Expanded, type ExpandOptions, expandPaths, type PathNote } from './expand.js';
export { fileSource } from './file.js';
export type { FileBytes } from './file-bytes.js';
export { type FollowOptions, followSource } from './follow.js';
export { compileGlob, type Glob, globNamesInput } from './glob.js';
export { compareStreams, isFinishedPart, type Rotation, rotationOf, streamStem } from './rotation.js';
export { explainSystemError, readSource, type Source, SourceError, tellFailure } from './source.js';
export { stdinSource } from './stdin.js';
