import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';

/** The case to decide about, in its concrete type. */
export interface Case {
  readonly record: RecordType;
  readonly id: number;
}

/** A matrix by name or id. */
export type MatrixReference = { readonly Matrix: string } | { readonly ID: number };

/** An output of a matrix's best row. */
export interface MatrixDecision {
  readonly measure: string;
  readonly text: string;
  /** For an Object output: the record that it refers to. */
  readonly points?: { readonly object: string; readonly id: number };
}

/** Parses the name or id of a matrix; digits alone are an id. */
export function parseMatrixReference(reference: string): MatrixReference {
  return /^\d{1,16}$/.test(reference.trim()) ? { ID: Number(reference) } : { Matrix: reference.trim() };
}

/** Returns how messages name a matrix. */
export function matrixLabel(named: MatrixReference): string {
  return 'Matrix' in named ? named.Matrix : `Matrix ${named.ID}`;
}

/** Which output of which matrix to read. */
export interface DecisionRequest {
  readonly matrix: MatrixReference;
  /** Name of the output; undefined for the first. */
  readonly measure: string | undefined;
  /** Whether this is the first matrix of a chain. Later ones need not have the named output. */
  readonly isFirst: boolean;
}

/**
 * Looks up a matrix for a case by its summary and returns one output of the best row: the named one, or else the first.
 *
 * @throws RULE_EXCEPTION if no row matches or the output is empty. BAD_PARAMETER, with the nearest names, for an
 * unknown Measure.
 */
export async function lookUpDecision(
  ctx: Context,
  { matrix: reference, measure, isFirst }: DecisionRequest,
  { record, id }: Case,
): Promise<MatrixDecision> {
  const { shape, rows } = await ctx.call('matrix/lookupbyobject', {
    ...reference,
    Object: record.name,
    ObjectID: id,
    DisplaySize: 1,
  });
  const matrix = matrixLabel(reference);
  const [row] = rows;
  const mismatches = row?.MisMatchCount ?? 0;
  if (!row || mismatches > 0)
    throw ruleException(
      `${matrix}: no row matches ${record.name} ${id}; ${mismatchText(row !== undefined, mismatches)}.`,
    );
  const outputs = shape
    .filter(({ name }) => shape.some((other) => other.name === `${name}ID` && other.field.to === 'MatrixMeasure'))
    .map(({ name }) => name);
  const named = measure === undefined ? undefined : outputs.find((name) => isSameName(name, measure));
  if (measure !== undefined && named === undefined && isFirst) throw unknownMeasure(matrix, measure, outputs);
  const name = named ?? outputs[0];
  if (name === undefined) throw ruleException(`${matrix}: the matrix has no outputs.`);
  const decision = readOutput(row, name);
  if (!decision)
    throw ruleException(`${matrix}, output ${name}: the row that matches ${record.name} ${id} has no value for it.`);
  return decision;
}

function mismatchText(hasRow: boolean, mismatches: number): string {
  return hasRow
    ? `the closest one has ${mismatches} mismatch${mismatches === 1 ? '' : 'es'}`
    : 'the matrix has no rows';
}

function isSameName(name: string, sent: string): boolean {
  return name.toLowerCase() === sent.replace(/\s+/g, '').toLowerCase();
}

function unknownMeasure(matrix: string, measure: string, outputs: readonly string[]): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field: 'Measure',
    message:
      `Measure: ${matrix} has no such output.${didYouMean(measure, outputs)} ` +
      `Known: ${outputs.join(', ') || 'none'}.`,
  });
}

/** Returns an output of a row, or undefined if the row leaves it empty. */
function readOutput(row: Row, name: string): MatrixDecision | undefined {
  const value = row[name] ?? null;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  const [object, id] = [row[`${name}Object`], row[`${name}ObjectID`]];
  if (typeof object === 'string' && typeof id === 'number') return { measure: name, text, points: { object, id } };
  return value === null ? undefined : { measure: name, text };
}

/** Returns the error of a decision that configuration leaves open, for whoever maintains it. */
export function ruleException(message: string): PlatformError {
  return new PlatformError('RULE_EXCEPTION', { message });
}
