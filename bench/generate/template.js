/** One event as bytes with holes: everything that is the same each time is written once, ids and times are patched in. */

/** What stands in the JSON text where a value is patched in. None of these can occur in ordinary event text. */
export const HOLE = {
  auditID: '@@@@@@@@-@@@@-@@@@-@@@@-@@@@@@@@@@@@',
  received: '^^^^-^^-^^T^^:^^:^^.^^^^^^Z',
  stage: '$$$$-$$-$$T$$:$$:$$.$$$$$$Z',
  /** Five decimal digits: which node, pod, claim. Drawn from 0 … spread - 1. */
  number: '#####',
  /** Sixteen hexadecimal digits: names that never return, as those of core events. */
  hex: '~~~~~~~~~~~~~~~~',
};

const HEX = Buffer.from('0123456789abcdef');
const ZERO = 48;

/**
 * @typedef {object} Template
 * @property {Buffer} bytes one line with its newline
 * @property {number} auditID offset of the audit id
 * @property {readonly number[]} received offsets of the received time
 * @property {readonly number[]} stage offsets of the stage time
 * @property {readonly number[]} numbers
 * @property {readonly number[]} hexes
 */

/**
 * What the holes of one line get.
 * @typedef {object} Values
 * @property {Uint32Array} ids audit id words, four per slot
 * @property {number} slot
 * @property {number} receivedUs
 * @property {number} stageUs
 * @property {number} number
 */

/**
 * @param {object} event an audit.k8s.io Event whose keys are in the order in which kube-apiserver writes them
 * @returns {Template}
 */
export function compileTemplate(event) {
  // Go's encoder escapes these three; JSON.stringify does not.
  const text = JSON.stringify(event).replace(/[&<>]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
  const bytes = Buffer.from(`${text}\n`);
  const [auditID] = offsetsOf(bytes, HOLE.auditID);
  if (auditID === undefined) throw new Error('an event template needs an audit id');
  return {
    bytes,
    auditID,
    received: offsetsOf(bytes, HOLE.received),
    stage: offsetsOf(bytes, HOLE.stage),
    numbers: offsetsOf(bytes, HOLE.number),
    hexes: offsetsOf(bytes, HOLE.hex),
  };
}

/** @param {Buffer} bytes @param {string} hole */
function offsetsOf(bytes, hole) {
  const offsets = [];
  for (let at = bytes.indexOf(hole); at >= 0; at = bytes.indexOf(hole, at + hole.length)) offsets.push(at);
  return offsets;
}

/**
 * Writes one line into `out` at `at`; there must be room for `template.bytes.length`.
 * @param {Buffer} out @param {number} at @param {Template} template @param {Values} values
 */
export function stamp(out, at, template, values) {
  template.bytes.copy(out, at);
  const { ids, slot } = values;
  writeUUID(out, at + template.auditID, ids, slot * 4);
  for (const offset of template.received) writeTime(out, at + offset, values.receivedUs, receivedClock);
  for (const offset of template.stage) writeTime(out, at + offset, values.stageUs, stageClock);
  for (const offset of template.numbers) writeDigits(out, at + offset, values.number, HOLE.number.length);
  for (const offset of template.hexes) {
    writeHex(out, at + offset, ids[slot * 4] ?? 0, 8);
    writeHex(out, at + offset + 8, ids[slot * 4 + 2] ?? 0, 8);
  }
}

/** @param {Buffer} out @param {number} at @param {Uint32Array} ids @param {number} word */
function writeUUID(out, at, ids, word) {
  const b = ids[word + 1] ?? 0;
  const c = ids[word + 2] ?? 0;
  writeHex(out, at, ids[word] ?? 0, 8);
  writeHex(out, at + 9, b >>> 16, 4);
  writeHex(out, at + 14, (b & 0x0fff) | 0x4000, 4); // version 4
  writeHex(out, at + 19, ((c >>> 16) & 0x3fff) | 0x8000, 4); // variant 1
  writeHex(out, at + 24, c & 0xffff, 4);
  writeHex(out, at + 28, ids[word + 3] ?? 0, 8);
}

/** @param {Buffer} out @param {number} at @param {number} value @param {number} digits */
function writeHex(out, at, value, digits) {
  for (let i = digits - 1; i >= 0; i--) {
    out[at + i] = HEX[value & 15] ?? ZERO;
    value >>>= 4;
  }
}

/** @param {Buffer} out @param {number} at @param {number} value @param {number} digits */
function writeDigits(out, at, value, digits) {
  for (let i = digits - 1; i >= 0; i--) {
    out[at + i] = ZERO + (value % 10);
    value = (value / 10) | 0;
  }
}

/** @typedef {{second: number, text: Buffer}} Clock */

/** The last second written, as text: most times in a row share it. Stage and received times each have their own. */
/** @type {Clock} */
const stageClock = { second: -1, text: Buffer.alloc(20) };
/** @type {Clock} */
const receivedClock = { second: -1, text: Buffer.alloc(20) };

/** @param {Buffer} out @param {number} at @param {number} us @param {Clock} clock */
function writeTime(out, at, us, clock) {
  const second = Math.floor(us / 1_000_000);
  if (second !== clock.second) {
    clock.second = second;
    clock.text.write(new Date(second * 1000).toISOString().slice(0, 20), 'latin1');
  }
  clock.text.copy(out, at);
  writeDigits(out, at + 20, us - second * 1_000_000, 6);
}
