import type { ListAnswer, Shape } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { matrixRecursion } from '../settings.ts';
import { reachableInputs, childMatrixOf } from './child-matrices.ts';
import { findMatrix, type FoundMatrix, type MatrixSelector } from './find-matrix.ts';
import type { MatrixIndex } from './matrix-index.ts';
import { listedRows } from './missing-matrices.ts';
import { appendOutputs, outputShape, outputValues, rankedShape, rankedRowValues } from './outputs.ts';
import { rank, type RankedRow } from './rank.ts';
import { unknownInputError, inputValues, type SubmittedInputs } from './submitted-inputs.ts';
import { namesMatrices, wireName, type Output } from './table.ts';

/** The parameters of a lookup. */
export interface LookupRequest {
  readonly sent: SubmittedInputs;
  readonly start: number;
  readonly size: number;
  /** The instant whose versions are read; undefined for the present ones. */
  readonly asOf: string | undefined;
}

/** The outputs of a child matrix's best row for the inputs of a lookup. */
interface ChildOutputs {
  readonly shape: Shape;
  readonly values: Readonly<Record<string, unknown>>;
}

/** One lookup. Each child matrix is evaluated once, since all rows use the same inputs. */
interface Lookup {
  readonly ctx: Context;
  readonly request: LookupInputs;
  readonly children: Map<string, ChildOutputs | undefined>;
  /** The rows that decided in child matrices. */
  readonly steps: DecisionStep[];
  /** See {@link outputValues}. */
  readonly keepClear: boolean;
}

/** What a lookup of one row needs. */
type LookupInputs = Pick<LookupRequest, 'sent' | 'asOf'>;

/** A row that decided: of which version of which matrix. */
export interface DecisionStep {
  readonly matrixId: number;
  readonly matrix: string;
  /** Null if the deciding transaction has changed the matrix. */
  readonly version: number | null;
  readonly row: number;
}

/** The best row of a matrix. It decides if it has no mismatch; only then it has outputs. */
export interface BestRow {
  /** Undefined if the matrix has no rows. */
  readonly ranked: RankedRow | undefined;
  readonly shape: Shape;
  readonly values: Readonly<Record<string, unknown>>;
  /** The row itself, then those of the child matrices that it led to. */
  readonly steps: readonly DecisionStep[];
}

/** Returns the best row of a matrix, with the outputs of child matrices if it decides. */
export async function bestRow(ctx: Context, found: FoundMatrix, request: LookupInputs): Promise<BestRow> {
  const { index } = found;
  await assertInputsKnown(ctx, found, request);
  const [ranked] = rank(index, inputValues(index, request.sent), 0, 1);
  if (!ranked || ranked.mismatches > 0) return { ranked, shape: outputShape(index), values: {}, steps: [] };
  const steps = [stepOf(found, ranked.row)];
  const lookup: Lookup = { ctx, request, children: new Map(), steps, keepClear: true };
  return { ranked, ...(await withChildOutputs(lookup, index, ranked.row, [found.name])), steps };
}

function stepOf({ id, name, version, index }: FoundMatrix, row: number): DecisionStep {
  return { matrixId: id, matrix: name, version, row: index.table.rowNumbers[row] ?? 0 };
}

/**
 * Ranks the rows of a matrix and returns one page, with the outputs of child matrices appended to eligible rows. Throws
 * if the child matrix of the deciding row cannot be looked up; for other rows that is a warning, so that they cannot
 * make a lookup fail, whatever page is read.
 */
export async function lookUp(ctx: Context, found: FoundMatrix, request: LookupRequest): Promise<ListAnswer> {
  const { index } = found;
  await assertInputsKnown(ctx, found, request);
  const ranked = rank(index, inputValues(index, request.sent), request.start, request.size);
  const rows = ranked.map((each) => rankedRowValues(index, each));
  const shape = rankedShape(index);
  if (!index.table.outputs.some(namesMatrices)) return { kind: 'list', name: 'Matrix', shape, rows };
  const lookup: Lookup = { ctx, request, children: new Map(), steps: [], keepClear: false };
  const failures: ChildFailures = new Map();
  const wide = [...shape];
  const names = new Set(shape.map((column) => column.name));
  for (const [at, { row, mismatches }] of ranked.entries()) {
    if (mismatches > 0) continue;
    const isDeciding = request.start + at === 0;
    const children = isDeciding
      ? await childOutputsOfRow(lookup, index, row, [found.name])
      : await availableChildren(lookup, found, row, failures);
    for (const child of children) {
      appendOutputs(rows[at] as Record<string, unknown>, child.values);
      for (const column of child.shape) {
        if (names.has(column.name)) continue;
        names.add(column.name);
        wide.push(column);
      }
    }
  }
  for (const { error, rows: numbers } of failures.values())
    ctx.alert({
      code: 'CHILD_MATRIX_FAILED',
      id: found.id,
      text: `${listedRows(numbers)}: the outputs of its child matrix are missing. ${error.message}`,
    });
  return { kind: 'list', name: 'Matrix', shape: wide, rows };
}

/** Child matrices that could not be looked up, by the key of their cell's text, with the numbers of the rows. */
type ChildFailures = Map<string, { readonly error: PlatformError; readonly rows: number[] }>;

/** Returns the outputs of those child matrices of a row that can be looked up, and notes the others. */
async function availableChildren(
  lookup: Lookup,
  { index, name }: FoundMatrix,
  row: number,
  failures: ChildFailures,
): Promise<ChildOutputs[]> {
  const available: ChildOutputs[] = [];
  for (const reference of childReferences(index, row, [name])) {
    const key = childKey(reference.selector);
    const failure = failures.get(key);
    if (failure) {
      failure.rows.push(reference.row);
      continue;
    }
    try {
      const child = await childOutputs(lookup, reference);
      if (child) available.push(child);
    } catch (error) {
      if (!(error instanceof PlatformError) || (error.code !== 'NOT_FOUND' && error.code !== 'CHAIN_TOO_DEEP'))
        throw error;
      failures.set(key, { error, rows: [reference.row] });
    }
  }
  return available;
}

/**
 * Returns the outputs of the child matrices that a row names, nearest first. `chain` lists the matrices that led to the
 * row.
 */
async function childOutputsOfRow(
  lookup: Lookup,
  index: MatrixIndex,
  row: number,
  chain: readonly string[],
): Promise<ChildOutputs[]> {
  const decided: ChildOutputs[] = [];
  for (const reference of childReferences(index, row, chain)) {
    const child = await childOutputs(lookup, reference);
    if (child) decided.push(child);
  }
  return decided;
}

/** Returns the child matrices that the cells of a row name. */
function childReferences({ table }: MatrixIndex, row: number, chain: readonly string[]): ChildReference[] {
  return table.outputs.filter(namesMatrices).flatMap((output) => {
    const code = output.cells.codes[row] ?? 0;
    if (code === 0) return [];
    return [{ output, selector: childMatrixOf(output, code), row: table.rowNumbers[row] ?? 0, chain }];
  });
}

const childKey = ({ id, name }: ChildReference['selector']): string =>
  id === undefined ? name.toLowerCase() : `id ${String(id)}`;

interface ChildReference {
  readonly output: Output;
  readonly selector: MatrixSelector & { readonly name: string };
  readonly row: number;
  readonly chain: readonly string[];
}

async function childOutputs(
  lookup: Lookup,
  { output, selector, row, chain }: ChildReference,
): Promise<ChildOutputs | undefined> {
  const { ctx, request, children } = lookup;
  const key = childKey(selector);
  if (children.has(key)) return children.get(key);
  const found = await findMatrix(ctx, selector, request.asOf).catch((error: unknown) => {
    if (!(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
    throw new PlatformError('NOT_FOUND', {
      field: wireName(output.name),
      message:
        `${output.name} of row ${row} of ${chain.at(-1)}: there is no matrix ` +
        `"${selector.name}"${request.asOf === undefined ? '' : ' at that time'}.`,
      details: { Chain: chain },
    });
  });
  const longer = [...chain, found.name];
  if (chain.includes(found.name))
    throw new PlatformError('CHAIN_TOO_DEEP', {
      field: wireName(output.name),
      message: `The matrices reference each other in a circle: ${longer.join(' > ')}.`,
      details: { Chain: longer },
    });
  const deepest = ctx.settings.get(matrixRecursion);
  if (chain.length > deepest)
    throw new PlatformError('CHAIN_TOO_DEEP', {
      field: wireName(output.name),
      message:
        `The matrices are nested more than ${deepest} levels deep (setting MatrixRecursion): ` +
        `${longer.join(' > ')}.`,
      details: { Chain: longer },
    });
  const child = await decideByMatrix(lookup, found, longer);
  children.set(key, child);
  return child;
}

async function decideByMatrix(
  lookup: Lookup,
  found: FoundMatrix,
  chain: readonly string[],
): Promise<ChildOutputs | undefined> {
  const { index } = found;
  const [best] = rank(index, inputValues(index, lookup.request.sent), 0, 1);
  // Only a row without mismatches can decide.
  if (!best || best.mismatches > 0) return undefined;
  lookup.steps.push(stepOf(found, best.row));
  return withChildOutputs(lookup, index, best.row, chain);
}

/** Returns the outputs of a row and of the child matrices that it names. */
async function withChildOutputs(
  lookup: Lookup,
  index: MatrixIndex,
  row: number,
  chain: readonly string[],
): Promise<ChildOutputs> {
  const values = outputValues(index, row, lookup.keepClear);
  const shape = [...outputShape(index)];
  for (const further of await childOutputsOfRow(lookup, index, row, chain)) {
    appendOutputs(values, further.values);
    for (const column of further.shape) if (!shape.some(({ name }) => name === column.name)) shape.push(column);
  }
  return { shape, values };
}

/** Throws UNKNOWN_PARAMETER for a name that is no input of the matrix or of a child matrix. */
export async function assertInputsKnown(
  ctx: Context,
  found: FoundMatrix,
  { sent, asOf }: Pick<LookupInputs, 'sent' | 'asOf'>,
): Promise<void> {
  const { index, name } = found;
  if ([...sent.keys()].every((key) => index.inputs.has(key))) return;
  const known = await reachableInputs(ctx, found, asOf);
  const strange = [...sent.keys()].find((key) => !known.has(key));
  if (strange !== undefined)
    throw unknownInputError(
      sent.get(strange)?.name ?? strange,
      name,
      [...known.values()].map((input) => wireName(input.name)),
    );
}
