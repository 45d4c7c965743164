/** Which outputs there would be, as they call themselves. */
import { openOutputs, systemClock } from '../../outputs/index.js';
import type { Config, OutputsConfig } from '../config.js';

/** Opens them for trial, which neither sends nor keeps anything. Throws OutputError when one cannot work as configured. */
export async function outputNames(
  { outputs: section }: Config,
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

/** A file would be made when it is opened. */
function withoutFile(section: OutputsConfig): OutputsConfig {
  const { otlp, ...others } = section;
  if (otlp?.file === undefined) return section;
  const { file, ...rest } = otlp;
  return rest.endpoint === undefined ? others : { ...others, otlp: rest };
}
