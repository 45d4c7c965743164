/** Which outputs there would be, as they call themselves. */
import { defaultName } from '../../outputs/create.js';
import { openOutputs, systemClock } from '../../outputs/index.js';
import type { Config, OutputsConfig } from '../config.js';
import type { Path } from '../explain.js';
import type { Remark } from './remark.js';

/** Opens them for trial, which neither sends nor keeps anything. Throws OutputError when one cannot work as configured. */
export async function outputNames(
  { outputs: section }: Pick<Config, 'outputs'>,
  env: Readonly<Record<string, string | undefined>>,
  onMessage: (message: string) => void,
): Promise<string[]> {
  if (section === undefined) return [];
  const outputs = await openOutputs(withoutFile(section), {
    env,
    continuous: true,
    clock: systemClock,
    onMessage,
    writeStdout: async () => {},
    trial: true,
  });
  await Promise.all(outputs.map((output) => output.close()));
  const file = section.otlp?.file;
  return [...outputs.map(({ name }) => name), ...(file === undefined ? [] : [`OTLP file ${file}`])];
}

const LISTS = ['alertmanager', 'webhook', 'slack', 'pagerduty', 'ndjson', 'kafka'] as const;

/** Each output as a configuration of its own, with its place: one that cannot work does not hide the next. */
export function singleOutputs({
  folder,
  otlp,
  ...section
}: OutputsConfig): { path: Path; config: Pick<Config, 'outputs'> }[] {
  const single = LISTS.flatMap((kind) =>
    (section[kind] ?? []).map((one, at) => ({
      path: ['outputs', kind, at],
      config: { outputs: { folder, [kind]: [one] } },
    })),
  );
  return otlp === undefined
    ? single
    : [...single, { path: ['outputs', 'otlp'], config: { outputs: { folder, otlp } } }];
}

/** Outputs that are given a name that another has; names are folders of the spool. */
export function twiceNamed(section: OutputsConfig): Remark[] {
  const all = LISTS.flatMap((kind) => (section[kind] ?? []).map(({ name }, at) => ({ kind, name, at })));
  const unnamed = all.flatMap(({ kind, name, at }) => (name === undefined ? [defaultName(kind, at)] : []));
  const taken = new Set(section.otlp === undefined ? unnamed : ['otlp', ...unnamed]);
  return all.flatMap(({ kind, name, at }): Remark[] => {
    if (name === undefined) return [];
    const isTaken = taken.has(name);
    taken.add(name);
    const message = `is ${name}, as another output is called; give one of them another`;
    return isTaken ? [{ level: 'mistake', path: ['outputs', kind, at, 'name'], message }] : [];
  });
}

/** A file would be made when it is opened. */
function withoutFile(section: OutputsConfig): OutputsConfig {
  const { otlp, ...others } = section;
  if (otlp?.file === undefined) return section;
  const { file, ...rest } = otlp;
  return rest.endpoint === undefined ? others : { ...others, otlp: rest };
}
