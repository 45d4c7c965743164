/** Observations for tests: the example of a type with some fields replaced. */
import { OBSERVATION_TYPES, type Observation, type ObservationOf } from '../../src/model/observations/index.js';

export function observation<T extends Observation['type']>(
  type: T,
  changes: Partial<ObservationOf<T>> = {},
): ObservationOf<T> {
  const definition = OBSERVATION_TYPES.get(type);
  if (definition === undefined) throw new Error(`no observation type ${type}`);
  return definition.schema.parse({ ...(definition.example as object), ...changes }) as ObservationOf<T>;
}
