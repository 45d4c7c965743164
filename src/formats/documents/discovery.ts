/** Aggregated discovery (APIGroupDiscoveryList, v2 and v2beta1): which resources a server says it serves. */
import type { DiscoveryDocument } from '../../model/record.js';
import { formatResource } from '../../model/resource.js';
import { isObject, itemsOf, type JsonObject, objectAt, objectsAt, stringAt } from './shape.js';

/** More than any real cluster serves; a hostile document stops there. */
const MAX_RESOURCES = 50_000;

/**
 * The document as a record; undefined when it is none. Subresources are left out. `/api` names its group ''. One that is
 * damaged is given as such, whatever else it holds: in what is left of it types would be missing that are served.
 */
export function readDiscovery(
  value: JsonObject,
  view: DiscoveryDocument['view'],
  line: number,
  offset: number,
): DiscoveryDocument | 'damaged' | undefined {
  if (value.kind !== 'APIGroupDiscoveryList') return undefined;
  if (!itemsOf(value).every((group) => isObject(group) && isObject(group.metadata))) return 'damaged';
  const resources: string[] = [];
  for (const group of objectsAt(value, 'items')) {
    const name = stringAt(objectAt(group, 'metadata'), 'name');
    for (const version of objectsAt(group, 'versions')) {
      for (const entry of objectsAt(version, 'resources')) {
        const resource = formatResource(stringAt(entry, 'resource'), name, stringAt(version, 'version'));
        if (resource !== '' && resources.length < MAX_RESOURCES) resources.push(resource);
      }
    }
  }
  return { type: 'discovery', line, offset, view, resources };
}

/** `merged` or `nopeer` when that is a word of the input's name, as in `cp1-discovery-apis-nopeer.json`. */
export function discoveryViewOf(inputName: string): DiscoveryDocument['view'] {
  const words = inputName.toLowerCase().split(/[^a-z0-9]+/);
  // The file's own name comes last and speaks louder than a folder.
  for (const word of words.reverse()) if (word === 'merged' || word === 'nopeer') return word;
  return 'unknown';
}
