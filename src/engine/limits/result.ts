import {
  getNamedType,
  isObjectType,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLField,
} from 'graphql';
import type { DocumentLimits } from '../../config.ts';
import type { Limits } from '../../../packages/executor/src/run.ts';
import { limitError } from './limit-error.ts';

/** Limits on the size of a result. */
export type ResultLimits = Pick<DocumentLimits, 'resultFields' | 'resultErrors' | 'resultBytes'>;

/** Returns the limits that the executor checks while it builds a result. */
export function executorLimits({ resultFields, resultErrors }: ResultLimits): Limits {
  return {
    maxFields: resultFields,
    maxErrors: resultErrors,
    weightOf,
    onExceeded: (kind, found) =>
      limitError(`${kind} of the result`, kind === 'fields' ? resultFields : resultErrors, found),
  };
}

/**
 * Weights of fields that were measured to take much longer than others: reading a page, and signing a cursor. Others state
 * theirs beside their resolvers, as `extensions.weight`.
 */
const CONNECTION_WEIGHT = 10;
const CURSOR_WEIGHT = 4;

function weightOf({ name, type, extensions: { weight } }: GraphQLField<unknown, unknown>): number {
  if (typeof weight === 'number') return weight;
  const inner = getNamedType(type);
  if (isObjectType(inner) && 'edges' in inner.getFields()) return CONNECTION_WEIGHT;
  return /cursor$/i.test(name) ? CURSOR_WEIGHT : 1;
}

/** Returns the limit error of a complete result, or null. Only the compiled executor has checked fields and errors. */
export function resultError(
  { data, errors = [] }: ExecutionResult,
  limits: ResultLimits,
): GraphQLError | null {
  const { resultErrors, resultBytes, resultFields } = limits;
  if (errors.length > resultErrors) return limitError('errors of the result', resultErrors, errors.length);
  const parts = errors.length === 0 ? data : [data, errors.map(({ message, path }) => [message, path])];
  const most: ResultSize = { bytes: 0, fields: 0 };
  measure(most, parts, { most: resultBytes, mostFields: resultFields, bytesOf: mostBytesOf });
  // Not measured again: reading the names of a huge object takes as long as parsing it did.
  if (most.fields > resultFields) return limitError('fields of the result', resultFields, most.fields);
  if (most.bytes <= resultBytes) return null;
  const size = resultSize(parts, resultBytes);
  if (size.bytes > resultBytes) return limitError('bytes of the result', resultBytes, size.bytes);
  return size.fields > resultFields ? limitError('fields of the result', resultFields, size.fields) : null;
}

/** The size of a result: its fields, and its approximate bytes as JSON in UTF-8, ignoring escape sequences. */
export interface ResultSize {
  bytes: number;
  fields: number;
}

/** Measures a result or a part of one. Stops soon after `most` bytes. */
export function resultSize(value: unknown, most: number): ResultSize {
  const size: ResultSize = { bytes: 0, fields: 0 };
  measure(size, value, { most, mostFields: Infinity, bytesOf: exactBytesOf });
  return size;
}

/** How strings are measured, and after how many bytes or fields measuring may stop. */
interface Measure {
  readonly most: number;
  readonly mostFields: number;
  readonly bytesOf: (text: string) => number;
}

function exactBytesOf(text: string): number {
  return Buffer.byteLength(text);
}

// A UTF-16 code unit is at most three bytes in UTF-8. Counting exactly takes ten times as long.
function mostBytesOf(text: string): number {
  return 3 * text.length;
}

/** Bytes of a number, a boolean or null; most are shorter. */
const SCALAR_BYTES = 8;

// Stops soon after `most` bytes, so that a huge value costs no more than one of that size.
function measure(size: ResultSize, value: unknown, how: Measure): void {
  if (typeof value === 'string') size.bytes += how.bytesOf(value) + 2;
  else if (typeof value !== 'object' || value === null) size.bytes += SCALAR_BYTES;
  else if (Array.isArray(value)) measureList(size, value, how);
  else measureObject(size, value, how);
}

function measureList(size: ResultSize, values: readonly unknown[], how: Measure): void {
  size.bytes += 2;
  for (const value of values) {
    if (size.bytes > how.most) return;
    size.bytes += 1;
    measure(size, value, how);
  }
}

function measureObject(size: ResultSize, object: object, how: Measure): void {
  size.bytes += 2;
  for (const name in object) {
    if (size.bytes > how.most || size.fields > how.mostFields) return;
    size.fields += 1;
    size.bytes += name.length + 4;
    measure(size, (object as Readonly<Record<string, unknown>>)[name], how);
  }
}
