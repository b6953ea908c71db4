/** Describes the first fault that a schema finds in a value, in one sentence: *Expected X, got Y*. */
import type { TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value';
import { nearestName, sayUnknown } from '../core/unknown-name.ts';

/** Properties of our schemas in addition to JSON Schema's. */
interface Notes {
  /** The allowed values, as a phrase: "a whole number from 2 to 10". */
  readonly expected?: string;
  /** Keeps a refused value out of the sentence, because keys and secrets must not reach a terminal or log. */
  readonly secret?: boolean;
}

/**
 * @param name the name of the whole value, such as "the config file" @returns the first fault, or `undefined` if the
 * value is valid
 */
export function findFault(schema: TSchema, value: unknown, name: string): string | undefined {
  const first = Value.Errors(schema, value).First();
  if (!first) return undefined;
  const fault = misnamedFor(first, schema, value) ?? first;
  const place = toPlace(fault.path) || name;
  const { expected, secret } = fault.schema as Notes;
  if (fault.type === ValueErrorType.ObjectAdditionalProperties) {
    const known = Object.keys((fault.schema as unknown as { properties: object }).properties);
    const section = toPlace(sectionOf(fault));
    const inside = (given: string) => (section ? `${section}.${given}` : given);
    const wrong = nameOf(fault);
    const nearest = JSON.stringify(inside(nearestName(wrong, known)));
    return sayUnknown('known names', show(inside(wrong), LONGEST_NAME), nearest);
  }
  const isPlain = fault.value !== undefined && typeof fault.value !== 'object';
  const got = secret && isPlain ? `${kindOf(fault.value)} that is not` : show(fault.value);
  return `Expected ${place} to be ${expected ?? 'something else'}, got ${got}.`;
}

/** A mistyped name is an unknown one and a missing one. The unknown one helps more. */
function misnamedFor(missing: ValueError, schema: TSchema, value: unknown): ValueError | undefined {
  if (missing.value !== undefined) return undefined;
  for (const fault of Value.Errors(schema, value)) {
    const isUnknown = fault.type === ValueErrorType.ObjectAdditionalProperties;
    if (isUnknown && sectionOf(fault) === sectionOf(missing)) return fault;
  }
  return undefined;
}

const sectionOf = ({ path }: ValueError): string => path.slice(0, path.lastIndexOf('/'));
const nameOf = ({ path }: ValueError): string => toPlace(path.slice(path.lastIndexOf('/')));

/** `findFault` for many values of one schema. It is compiled, so that valid values pass quickly. */
export function createFaultFinder(schema: TSchema, name: string): (value: unknown) => string | undefined {
  const compiled = TypeCompiler.Compile(schema);
  return (value) => (compiled.Check(value) ? undefined : findFault(schema, value, name));
}

/** `/keys/0/kind` → `keys[0].kind` */
function toPlace(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (place, step) => (/^\d+$/.test(step) ? `${place}[${step}]` : place ? `${place}.${step}` : step),
      '',
    );
}

const LONGEST_SHOWN = 40;
/** Names stand behind those of their sections. */
const LONGEST_NAME = 60;

/** A value as written in the file or request, shortened if it is long. */
function show(value: unknown, longest = LONGEST_SHOWN): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return kindOf(value);
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, longest) : value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
