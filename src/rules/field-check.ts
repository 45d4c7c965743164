/** Finds fields, values and functions in an expression that no observation can have. */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { ExpressionMistake } from './expression.js';
import { alternativesFor } from './rule-error.js';
import { elementOf, type FieldSchema, fieldsOf, shapeOf, unwrap, wordsOf } from './schema-shape.js';

/** What a name stands for: `any` when nothing is known of its fields. */
type Kind = { readonly fields: Map<string, FieldSchema[]> } | { readonly schemas: readonly FieldSchema[] } | 'any';
type Names = ReadonlyMap<string, Kind>;

const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** All mistakes about names in a tree; empty when there is none. `known` are the variables that may be used. */
export function fieldMistakes(tree: ASTNode, types: readonly string[], known: readonly string[]): ExpressionMistake[] {
  const mistakes: ExpressionMistake[] = [];
  const observation: Kind = { fields: fieldsOf(types) };
  const names = new Map<string, Kind>(known.map((name) => [name, name === 'o' ? observation : 'any']));
  walk(tree, names, observation, mistakes);
  return mistakes;
}

function walk(node: ASTNode, names: Names, observation: Kind, mistakes: ExpressionMistake[]): Kind {
  switch (node.op) {
    case 'id':
      return variable(node, names, mistakes);
    case '.':
      return field(node, walk(node.args[0], names, observation, mistakes), mistakes);
    case '==':
    case '!=':
    case 'in': {
      const [left, right] = node.args;
      const leftKind = walk(left, names, observation, mistakes);
      const rightKind = walk(right, names, observation, mistakes);
      literals(leftKind, right, mistakes);
      if (node.op === 'in') literals(itemsOf(rightKind), left, mistakes);
      else literals(rightKind, left, mistakes);
      return 'any';
    }
    case 'rcall':
      return receiverCall(node, names, observation, mistakes);
    case 'call':
      for (const argument of node.args[1]) walk(argument, names, observation, mistakes);
      return 'any';
    case 'value':
      return 'any';
    default:
      for (const child of childrenOf(node)) walk(child, names, observation, mistakes);
      return 'any';
  }
}

function variable(node: ASTNode & { op: 'id' }, names: Names, mistakes: ExpressionMistake[]): Kind {
  const kind = names.get(node.args);
  if (kind !== undefined) return kind;
  mistakes.push({
    at: node.start,
    message: `unknown name "${node.args}"`,
    alternatives: alternativesFor(node.args, names.keys()),
  });
  return 'any';
}

function field(node: ASTNode & { op: '.' }, kind: Kind, mistakes: ExpressionMistake[]): Kind {
  const name = node.args[1];
  const fields = fieldsOfKind(kind);
  if (fields === undefined) return 'any';
  const schemas = fields.get(name);
  if (schemas !== undefined) return { schemas };
  mistakes.push({
    at: node.pos,
    message: `unknown field "${name}"`,
    alternatives: alternativesFor(name, fields.keys()),
  });
  return 'any';
}

function receiverCall(
  node: ASTNode & { op: 'rcall' },
  names: Names,
  observation: Kind,
  mistakes: ExpressionMistake[],
): Kind {
  const [name, receiver, parameters] = node.args;
  const kind = walk(receiver, names, observation, mistakes);
  if (name === 'matches') {
    mistakes.push({
      at: node.start,
      message: 'matches() is not allowed in rules: a pattern can take forever on hostile log text',
      alternatives: ['contains', 'startsWith', 'endsWith'],
    });
  }
  const [first, ...rest] = parameters;
  if (!MACROS.has(name) || first === undefined || first.op !== 'id') {
    for (const parameter of parameters) walk(parameter, names, observation, mistakes);
    return 'any';
  }
  const isAll = receiver.op === 'id' && receiver.args === 'all';
  const inner = new Map([...names, [first.args, isAll ? observation : itemsOf(kind)] as const]);
  for (const parameter of rest) walk(parameter, inner, observation, mistakes);
  return name === 'filter' ? kind : 'any';
}

/** A literal, or a list of them, that is compared with a field of fixed words must be one of these words. */
function literals(kind: Kind, other: ASTNode, mistakes: ExpressionMistake[]): void {
  if (kind === 'any' || 'fields' in kind) return;
  const words = kind.schemas.flatMap((schema) => wordsOf(schema) ?? []);
  if (words.length === 0 || kind.schemas.some((schema) => wordsOf(schema) === undefined)) return;
  for (const literal of other.op === 'list' ? other.args : [other]) {
    if (literal.op !== 'value' || typeof literal.args !== 'string' || words.includes(literal.args)) continue;
    mistakes.push({
      at: literal.start,
      message: `"${literal.args}" is no value of this field`,
      alternatives: alternativesFor(literal.args, words),
    });
  }
}

function fieldsOfKind(kind: Kind): Map<string, FieldSchema[]> | undefined {
  if (kind === 'any') return undefined;
  if ('fields' in kind) return kind.fields;
  const fields = new Map<string, FieldSchema[]>();
  for (const schema of kind.schemas) {
    const shape = shapeOf(unwrap(schema));
    if (shape === undefined) return undefined;
    for (const [name, inner] of Object.entries(shape)) fields.set(name, [...(fields.get(name) ?? []), inner]);
  }
  return fields;
}

function itemsOf(kind: Kind): Kind {
  if (kind === 'any' || 'fields' in kind) return 'any';
  const elements = kind.schemas.map((schema) => elementOf(unwrap(schema)));
  const schemas = elements.filter((element) => element !== undefined);
  return schemas.length === elements.length ? { schemas } : 'any';
}

function childrenOf(node: ASTNode): ASTNode[] {
  const found: ASTNode[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) collect(item);
    else if (isNode(value)) found.push(value);
  };
  collect(node.args);
  return found;
}

function isNode(value: unknown): value is ASTNode {
  return value !== null && typeof value === 'object' && 'op' in value && 'args' in value;
}
