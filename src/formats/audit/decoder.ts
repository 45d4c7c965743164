/** What an audit decoder is: bytes of one JSON text in, one flat AuditEvent or the reason why there is none out. */
import type { AuditEvent } from '../../model/record.js';

/** Containers that may stand inside one another, the event itself included. */
export const MAX_DEPTH = 512;

/** Why a piece of text is no audit event. */
export const verdicts = {
  /** Not JSON, or JSON with something behind it. */
  notJson: 'not-json',
  /** The start of a JSON object or array whose end is missing. */
  cutLine: 'cut-line',
  /** JSON, but not one audit event. */
  notAudit: 'not-audit',
  /** More than MAX_DEPTH containers inside one another. */
  tooDeep: 'json-too-deep',
} as const;

export type Verdict = (typeof verdicts)[keyof typeof verdicts];

export interface AuditDecoder {
  /**
   * Decodes the JSON text in `bytes[start, end)`; white space around it is allowed, a byte order mark is not.
   * `line` (from 1) and `offset` (of the text in its input) go into the event as they are. Never throws on any bytes.
   *
   * An event is a JSON object with a string `auditID`, a known `stage`, a `verb` or a `requestURI`, and no `kind` other
   * than Event. An optional field of the wrong type counts as absent; of a key that stands twice the last one counts.
   * Repeated values may be one shared string. The event refers to `bytes`: the caller must not overwrite them.
   */
  decode(bytes: Buffer, start: number, end: number, line: number, offset: number): AuditEvent | Verdict;
}
