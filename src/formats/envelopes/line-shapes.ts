/** The prefixes of lines that are known. More than one may stand in front of a record; each is taken once. */
import type { LineShape } from './shape.js';

const TIME = String.raw`(?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)`;
const HOST = String.raw`(?<host>[^\s:]{1,253})`;
const IDENT = String.raw`(?<component>[^\s[\]:"{}]{1,128})(?:\[\d{1,10}\])?: `;
const POD = '(?<pod>[a-z0-9][a-z0-9.-]{0,252})';
const CONTAINER = '(?<component>[a-z0-9][a-z0-9-]{0,62})';

export const lineShapes: readonly LineShape[] = [
  { name: 'CRI', pattern: line(`${TIME} (?<stream>stdout|stderr) (?<piece>[FP])(?::\\S{0,64})?(?: |$)`), sure: true },
  {
    name: 'kubectl prefix',
    pattern: line(String.raw`\[pod\/(?<pod>[^\/\s\]]{1,253})\/(?<component>[^\/\s\]]{1,253})\] `),
    sure: true,
  },
  {
    name: 'syslog RFC 5424',
    pattern: line(
      String.raw`<\d{1,3}>1 ${TIME} ${HOST} (?<component>\S{1,48}) \S{1,128} \S{1,32} (?:-|(?:\[(?:[^\]\\"]|"(?:[^"\\]|\\.)*")*\])+) ?(?:\xef\xbb\xbf)?`,
    ),
    sure: true,
  },
  {
    name: 'syslog',
    pattern: line(String.raw`(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})? ${HOST} ${IDENT}`),
    sure: true,
  },
  {
    name: 'journal with full times',
    pattern: line(`[A-Z][a-z]{2} ${TIME} [A-Z]{1,5} ${HOST} ${IDENT}`),
    sure: true,
  },
  {
    name: 'Kafka console',
    pattern: line(
      String.raw`(?:CreateTime|LogAppendTime):(?<time>\d{1,19})\t(?:Partition:\d+\t)?(?:Offset:\d+\t)?(?:NO_HEADERS\t)?(?:(?:[^\t{]{0,256}?(?:host|node|hostname):)?${HOST}[^\t{]*\t)?(?:[^\t{]*\t)?`,
    ),
  },
  { name: 'journal with ISO times', pattern: line(`${TIME} ${HOST} ${IDENT}`) },
  { name: 'time', pattern: line(`${TIME} `) },
  {
    name: 'Loki labels',
    pattern: line(String.raw`(?<labels>\{(?:[a-zA-Z_]\w{0,100}="(?:[^"\\]|\\.)*"(?:, ?)?){1,64}\}) `),
  },
  { name: 'stern, all namespaces', pattern: line(`[a-z0-9][a-z0-9-]{0,62} ${POD} ${CONTAINER} `), last: true },
  { name: 'stern', pattern: line(`${POD} ${CONTAINER} `), last: true },
  { name: 'host', pattern: line(String.raw`(?<host>[^\s"{}[\]]{1,253}?):? `) },
  { name: 'grep', pattern: line(String.raw`(?<file>[^:"{}]{1,1024}):(?:\d{1,12}:){0,2}`) },
];

function line(source: string): RegExp {
  return new RegExp(`^${source}`);
}
