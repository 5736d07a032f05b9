import type { Context } from '../../../../kernel/door/context.ts';
import { nearest, PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';

/** The record that is decided about, in its concrete type. */
export interface Case {
  readonly record: RecordType;
  readonly id: number;
}

/** A matrix as a call or a cell names it. */
export type MatrixReference = { readonly Matrix: string } | { readonly ID: number };

/** What the measure of a matrix's best row says. */
export interface MatrixDecision {
  readonly measure: string;
  readonly text: string;
  /** Of an Object output: the record that it points to. */
  readonly points?: { readonly object: string; readonly id: number };
}

/** The name or id of a matrix as text: digits alone are an id. */
export function parseMatrixReference(said: string): MatrixReference {
  return /^\d{1,16}$/.test(said.trim()) ? { ID: Number(said) } : { Matrix: said.trim() };
}

/** How a matrix is called in messages. */
export function matrixLabel(named: MatrixReference): string {
  return 'Matrix' in named ? named.Matrix : `Matrix ${named.ID}`;
}

/**
 * Looks a matrix up for a case by its summary, and reads one output of the best row: the one asked for, else the first. A matrix that is
 * come to from another need not have the one asked for.
 *
 * @throws RULE_EXCEPTION where no row decides or the output is empty; BAD_PARAMETER for an unknown Measure, with the nearest names
 */
export async function lookUpDecision(
  ctx: Context,
  named: MatrixReference,
  { record, id }: Case,
  measure: string | undefined,
  isFirst: boolean,
): Promise<MatrixDecision> {
  const { shape, rows } = await ctx.call('matrix/lookupbyobject', {
    ...named,
    Object: record.name,
    ObjectID: id,
    DisplaySize: 1,
  });
  const row = rows[0];
  const matrix = matrixLabel(named);
  const mismatches = Number(row?.['MisMatchCount'] ?? 0);
  if (!row || mismatches > 0)
    throw ruleException(
      `${matrix}: no row decides ${record.name} ${id}; ${row ? `the best one has ${mismatches} mismatch${mismatches === 1 ? '' : 'es'}` : 'the matrix has no rows'}.`,
    );
  const outputs = shape
    .filter(({ name }) => shape.some((other) => other.name === `${name}ID` && other.field.to === 'MatrixMeasure'))
    .map(({ name }) => name);
  const wanted =
    measure === undefined
      ? undefined
      : outputs.find((name) => name.toLowerCase() === measure.replace(/\s+/g, '').toLowerCase());
  if (measure !== undefined && wanted === undefined && isFirst) {
    const near = nearest(measure, outputs);
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Measure',
      message: `Measure: ${matrix} has no output of this name.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} Known: ${outputs.join(', ') || 'none'}.`,
    });
  }
  const name = wanted ?? outputs[0];
  if (name === undefined) throw ruleException(`${matrix}: it has no outputs.`);
  const [value, object, objectId] = [row[name] ?? null, row[`${name}Object`], row[`${name}ObjectID`]];
  const points = typeof object === 'string' && typeof objectId === 'number' ? { points: { object, id: objectId } } : {};
  if (value === null && !('points' in points))
    throw ruleException(`${matrix}, output ${name}: the row that decides ${record.name} ${id} leaves it empty.`);
  return { measure: name, text: value === null ? '' : String(value).trim(), ...points };
}

/** What configuration decides wrongly, told to whoever can mend it. */
export function ruleException(message: string): PlatformError {
  return new PlatformError('RULE_EXCEPTION', { message });
}
