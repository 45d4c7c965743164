/** Servers that share a DNS domain: it is said once, and each is called by what stands before it. */
import type { Analysis, ServerSummary } from '../../model/analysis.js';
import { relabelled } from './relabel.js';

/** Named by their identity lease or by an address: they have no domain. */
const NO_HOST = /^apiserver-[a-z2-7]{26}$|^[\d.]+$|:[\da-f]*$/i;

export interface ShortNames {
  readonly analysis: Analysis;
  /** `eu-west-1.compute.internal`; '' where there is none, and then the analysis is as it was. */
  readonly domain: string;
}

export function shortNames(analysis: Analysis): ShortNames {
  const hosts = [...new Set(analysis.servers.map(hostOf).filter((name) => !NO_HOST.test(name)))];
  const domain = commonDomain(hosts);
  if (domain === '') return { analysis, domain };
  const shorts = new Map(hosts.map((host) => [host, host.slice(0, -domain.length - 1)]));
  const name = (text: string) => shorts.get(text) ?? text;
  const pattern = patternOf(hosts);
  const short = relabelled(analysis, { name, prose: (line) => line.replace(pattern, name) });
  const servers = short.servers.map((server) => ({
    ...server,
    ...(server.node === undefined ? {} : { node: name(server.node) }),
  }));
  return { analysis: { ...short, servers }, domain };
}

function hostOf({ name, node }: ServerSummary): string {
  return node ?? name;
}

/** The labels in which all names end, of at least two names, each of which has something before them. */
function commonDomain([first, ...others]: readonly string[]): string {
  if (first === undefined || others.length === 0) return '';
  let labels = first.split('.').slice(1);
  for (const other of others) {
    const own = other.split('.').slice(1);
    while (labels.length > 0 && own.slice(-labels.length).join('.') !== labels.join('.')) labels = labels.slice(1);
  }
  // What ends in a number is an address.
  return /[a-z]/i.test(labels.at(-1) ?? '') ? labels.join('.') : '';
}

/** Whole names: not within a path, a longer name or an address with a port. */
function patternOf(hosts: readonly string[]): RegExp {
  const escaped = hosts.map((host) => host.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\w./@:-])(?:${escaped.join('|')})(?![\\w/@-]|[.:]\\w)`, 'g');
}
