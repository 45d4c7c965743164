/** What an input's name says about its server: the name without the usual words, and words that may be host names. */
import type { InputRef } from '../../model/origin.js';

const USUAL = new Set(
  'audit audits kube apiserver apiservers kubernetes k8s api server log logs json ndjson txt gz zst out stdout stderr current previous live var lib pods containers container policy events event pod system control plane controlplane master lease leases metrics discovery apis merged nopeer prom klog process archive data'.split(
    ' ',
  ),
);
const DATE = /^\d{4}-?\d{2}-?\d{2}([tT_-]?\d{2}[-:.]?\d{2}[-:.]?\d{2}([.,]\d+)?)?$/;
const ROTATION = /([-.]\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3})|(-\d{8}(-\d{6})?)(?=\.|$)|(\.\d{1,4})(?=(\.gz)?$)/g;
const PART = /^(part|chunk|split|piece|copy|dup)\d*$/;
/** Usual words that a number makes the name of a machine. */
const ROLES = new Set(['master', 'plane', 'controlplane', 'server']);
/** Names of cloud machines have ten words and stand between others. */
const MAX_WORDS = 32;
/** Linux takes no longer one. */
const MAX_HOST = 64;
/** `NAMESPACE_POD_UID`, where the kubelet keeps the logs of a pod; of a static pod the UID is a hash. */
const POD_FOLDER =
  /^[a-z0-9-]+_([a-z0-9.-]+)_(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
/** `POD_NAMESPACE_CONTAINER-ID.log`, the links to them. */
const CONTAINER_LINK = /^([a-z0-9.-]+)_[a-z0-9-]+_[a-z0-9-]+-[0-9a-f]{64}(?:\.log.*)?$/;
/** A static pod is named after its node. */
const STATIC_POD = /^kube-apiserver-(.+)$/;

/**
 * What an input is called as far as that says who wrote it: as the envelopes in it call the writer, else its own name.
 * The name of a topic says what is in it: all servers write there.
 */
export function stemOfInput({ name, kind, writer }: InputRef): string {
  return writer ?? (kind === 'kafka' ? '' : stemOf(name));
}

/** See hostCandidates. */
export function hostsOfInput({ name, writer }: InputRef): string[] {
  return hostCandidates(writer ?? name);
}

/**
 * The input's name without the usual words (audit, kube-apiserver, log, dates), from its last path component that
 * keeps any: `cp1` for `logs/cp1-audit-2026-01-02T03-04-05.678.log.gz` and for `cp1/audit.log`; '' when nothing is left.
 * Where a component is that of a pod, the pod's node.
 */
export function stemOf(inputName: string): string {
  if (inputName === '-') return '';
  const [pod] = components(inputName).flatMap((component) => podOf(component) || []);
  const node = STATIC_POD.exec(pod ?? '')?.[1];
  if (node !== undefined) return node;
  for (const component of pod === undefined ? components(inputName).reverse() : [pod]) {
    const stem = component
      .replace(ROTATION, '')
      .split(/([-_. ]+)/)
      .filter((part, at, parts) => at % 2 === 1 || keeps(part, at, parts))
      .join('')
      .replace(/^[-_. ]+|[-_. ]+$/g, '')
      .replace(/[-_. ]{2,}/g, '-');
    if (stem !== '') return stem;
  }
  return '';
}

/** Runs of words of the name, longest first: candidates for the host name whose hash is a known identity. */
export function hostCandidates(inputName: string): string[] {
  const found = new Set<string>();
  for (const component of components(inputName).reverse()) {
    const parts = (podOf(component) || component).split(/([-_. ]+)/).slice(0, MAX_WORDS * 2);
    for (let length = parts.length; length > 0; length -= 1) {
      for (let from = 0; from + length <= parts.length; from += 1) {
        const text = parts.slice(from, from + length).join('');
        if (text.length > MAX_HOST) continue;
        if (/^[a-zA-Z0-9]/.test(text) && /[a-zA-Z0-9]$/.test(text)) found.add(text);
      }
    }
  }
  return [...found];
}

/** The pod that the kubelet named this folder or link after; '' for other names. */
function podOf(component: string): string {
  return (POD_FOLDER.exec(component) ?? CONTAINER_LINK.exec(component))?.[1] ?? '';
}

function components(inputName: string): string[] {
  return inputName
    .split(/[/\\]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .slice(-4);
}

/** `parts` are words with what stands between them. */
function keeps(part: string, at: number, parts: readonly string[]): boolean {
  if (part === '' || DATE.test(part)) return false;
  if (isNumber(part)) {
    // A lone number is a rotation or a partition; behind a name it is part of it (`node-7`, `master-0`), as are many.
    const before = parts[at - 2] ?? '';
    return (isName(before) && part.length < 6) || isNumberedRole(before, part) || parts.filter(isNumber).length > 2;
  }
  if (isName(part)) return true;
  const [next = '', afterNext = ''] = [parts[at + 2], parts[at + 4]];
  return isNumberedRole(part, next) || (part.toLowerCase() === 'control' && isNumberedRole(next, afterNext));
}

function isName(part: string): boolean {
  const word = part.toLowerCase();
  return part !== '' && !isNumber(part) && !USUAL.has(word) && !PART.test(word) && !DATE.test(part);
}

function isNumberedRole(part: string, next: string): boolean {
  return ROLES.has(part.toLowerCase()) && isNumber(next) && next.length < 4;
}

function isNumber(part: string): boolean {
  return /^\d+$/.test(part);
}
