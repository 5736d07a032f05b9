import type { MatrixIndex } from './matrix-index.ts';
import { compareRows, sharedPoints, type RowPair } from './compare-rows.ts';
import { FINDINGS_MAX, type Finding } from './finding.ts';
import { findGaps, type Gap } from './find-gaps.ts';
import { describePoints } from './point-text.ts';
import { setBits } from './row-relations.ts';
import { matchingPoints, samplePoints, type SamplePoint } from './sample-points.ts';
import { findMisreadCells } from '../../../../lib/decision-tables/misread-cell.ts';

/** Most comparisons of a cell with a value, over all columns. */
const COMPARISONS_MAX = 20_000_000;
/** The findings, and what was skipped because it would have taken too long. */
export interface Analysis {
  readonly findings: readonly Finding[];
  readonly omissions: readonly string[];
}

interface AnalysisState {
  readonly index: MatrixIndex;
  readonly points: readonly (readonly SamplePoint[])[];
  /** By column and code: the sample points that a cell matches; undefined if it is empty. */
  readonly matching: readonly (readonly (Int32Array | undefined)[])[];
  readonly findings: Finding[];
  readonly omissions: string[];
}

/**
 * Finds misread cells, contradictions, duplicates, unreachable rows, ties, overlaps and gaps. The work is bounded;
 * `omissions` lists what was skipped.
 */
export async function analyzeMatrix(index: MatrixIndex, breathe: () => Promise<void>): Promise<Analysis> {
  const { inputs } = index.table;
  const points = inputs.map(samplePoints);
  const comparisons = inputs.reduce((sum, { cells }, at) => sum + cells.texts.length * (points[at]?.length ?? 0), 0);
  const state: AnalysisState = { index, points, matching: [], findings: [], omissions: [] };
  findMisread(state);
  if (comparisons > COMPARISONS_MAX) {
    state.omissions.push(
      `The cells list too many different values (${comparisons.toLocaleString('en-US')} comparisons; the ` +
        `limit is ${COMPARISONS_MAX.toLocaleString('en-US')}): rows were not compared, and gaps were not searched.`,
    );
    return { findings: state.findings, omissions: state.omissions };
  }
  const matching: (Int32Array | undefined)[][] = [];
  for (const [at, input] of inputs.entries()) {
    await breathe();
    matching.push(matchingPoints(input, points[at] ?? []));
  }
  const work: AnalysisState = { ...state, matching };
  findContradictions(work);
  const distinct = findDuplicates(work);
  await breathe();
  addComparison(work, distinct);
  await breathe();
  addGaps(work);
  return { findings: work.findings, omissions: work.omissions };
}

function findContradictions({ index: { table }, matching, findings }: AnalysisState): void {
  let found = 0;
  for (const [at, { name, cells }] of table.inputs.entries()) {
    for (const [row, code] of cells.codes.entries()) {
      if (matching[at]?.[code]?.every((word) => word === 0) !== true || ++found > FINDINGS_MAX) continue;
      const Row = table.rowNumbers[row] ?? 0;
      findings.push({
        Finding: 'Contradiction',
        Severity: 'Warning',
        Row,
        Input: name,
        Title: `Row ${Row} never matches`,
        Description: `Nothing can match "${(cells.texts[code] ?? '').slice(0, 100)}".`,
      });
    }
  }
}

function findMisread({ index: { table }, findings }: AnalysisState): void {
  let found = 0;
  for (const { name, cells, type } of table.inputs) {
    for (const { code, kind, advice } of findMisreadCells(cells, type)) {
      const Row = table.rowNumbers[cells.codes.indexOf(code)];
      if (Row === undefined || ++found > FINDINGS_MAX) continue;
      findings.push({
        Finding: kind,
        Severity: 'Warning',
        Row,
        Input: name,
        Title: `Row ${Row}, ${name}, is read as text`,
        Description: `"${(cells.texts[code] ?? '').slice(0, 100)}": ${advice}`,
      });
    }
  }
}

/** Most rows that a finding lists. */
const ROWS_LISTED_MAX = 20;

/**
 * Reports rows with the same conditions, each group once. Returns the positions in the ranking of each group's first.
 */
function findDuplicates({ index, matching, findings }: AnalysisState): readonly number[] {
  const { order, table } = index;
  const canonical = matching.map(canonicalCodes);
  const groups = new Map<string, number[]>();
  for (const [position, row] of order.entries()) {
    const key = table.inputs.map(({ cells }, column) => canonical[column]?.[cells.codes[row] as number] ?? 0).join(' ');
    const group = groups.get(key);
    if (group) group.push(position);
    else groups.set(key, [position]);
  }
  let found = 0;
  for (const positions of groups.values()) {
    if (positions.length === 1 || ++found > FINDINGS_MAX) continue;
    findings.push(
      duplicateFinding(
        index,
        positions.map((position) => order[position] as number),
      ),
    );
  }
  return [...groups.values()].map(([position]) => position as number);
}

function duplicateFinding({ table }: MatrixIndex, rows: readonly number[]): Finding {
  const numbers = rows.map((row) => table.rowNumbers[row] ?? 0).sort((a, b) => a - b);
  const [first = 0, second = 0] = numbers;
  const listed = numbers.slice(0, ROWS_LISTED_MAX).join(', ');
  const more = numbers.length > ROWS_LISTED_MAX ? ` and ${numbers.length - ROWS_LISTED_MAX} more` : '';
  const isSame = table.outputs.every(({ cells: { codes } }) => rows.every((row) => codes[row] === codes[rows[0] ?? 0]));
  return {
    Finding: 'Duplicate',
    Severity: isSame ? 'Warning' : 'Error',
    Row: second,
    OtherRow: first,
    Title: numbers.length > 2 ? `${numbers.length} rows are the same` : `Rows ${first} and ${second} are the same`,
    Description: `Rows ${listed}${more} have the same conditions; row ${first} decides because it comes first.`,
  };
}

/** Returns, per code of a column, the first code that matches the same values: `CA` and `ca` are the same condition. */
function canonicalCodes(matching: readonly (Int32Array | undefined)[]): number[] {
  const first = new Map<string, number>();
  return matching.map((bits, code) => {
    const key = bits?.join() ?? 'any';
    const known = first.get(key);
    if (known !== undefined) return known;
    first.set(key, code);
    return code;
  });
}

/** Reports what the comparison of all rows finds. */
function addComparison(work: AnalysisState, positions: readonly number[]): void {
  const { index, matching, findings, omissions } = work;
  const comparison = compareRows(index, matching, positions);
  omissions.push(...comparison.omissions);
  const numbers = (pair: RowPair): { readonly Row: number; readonly OtherRow: number } => ({
    Row: rowNumber(index, pair.second),
    OtherRow: rowNumber(index, pair.first),
  });
  for (const pair of comparison.unreachable) {
    const { Row, OtherRow } = numbers(pair);
    findings.push({
      Finding: 'Unreachable',
      Severity: 'Warning',
      Row,
      OtherRow,
      Title: `Row ${Row} never decides`,
      Description: `Row ${OtherRow} matches whatever row ${Row} matches, and ranks before it.`,
    });
  }
  for (const pair of comparison.ties) {
    const { Row, OtherRow } = numbers(pair);
    const [low, high] = [Math.min(Row, OtherRow), Math.max(Row, OtherRow)];
    findings.push({
      Finding: 'Tie',
      Severity: 'Error',
      Row,
      OtherRow,
      ...differingInput(index, pair),
      Title: `Rows ${low} and ${high} tie`,
      Description: `${sharedCondition(work, pair)}: ${differingOutputs(index, pair)}. Only their order decides.`,
    });
  }
  for (const pair of comparison.overlaps) {
    const { Row, OtherRow } = numbers(pair);
    const [low, high] = [Math.min(Row, OtherRow), Math.max(Row, OtherRow)];
    findings.push({
      Finding: 'Overlap',
      Severity: 'Warning',
      Row,
      OtherRow,
      Title: `Rows ${low} and ${high} overlap`,
      Description:
        `${sharedCondition(work, pair)}. Row ${OtherRow} wins, ` +
        `${weightAt(index, pair.first)} to ${weightAt(index, pair.second)}.`,
    });
  }
}

const rowNumber = ({ table, order }: MatrixIndex, position: number): number =>
  table.rowNumbers[order[position] as number] ?? 0;

const weightAt = ({ table, order }: MatrixIndex, position: number): number =>
  Number(
    table.inputs
      .reduce((sum, { cells, weight }) => sum + (cells.codes[order[position] as number] === 0 ? 0 : weight), 0)
      .toFixed(4),
  );

/** Returns the input in which two rows differ, if it is only one and both have a cell in it. */
function differingInput({ table, order }: MatrixIndex, { first, second }: RowPair): { readonly Input?: string } {
  const codesOf = (codes: Uint32Array): (number | undefined)[] =>
    [first, second].map((at) => codes[order[at] as number]);
  const differing = table.inputs.filter(({ cells }) => {
    const [a, b] = codesOf(cells.codes);
    return a !== b;
  });
  const [input] = differing;
  return input && differing.length === 1 && !codesOf(input.cells.codes).includes(0) ? { Input: input.name } : {};
}

/** Describes the inputs that both rows match. */
function sharedCondition({ index, matching, points }: AnalysisState, { first, second }: RowPair): string {
  const parts = index.table.inputs.flatMap(({ name, cells: { codes, texts } }, at) => {
    const [a, b] = [first, second].map((position) => codes[index.order[position] as number] as number);
    const shared = sharedPoints(matching[at]?.[a as number], matching[at]?.[b as number]);
    if (!shared) return [];
    if (a === b || b === 0) return `${name} ${texts[a as number] ?? ''}`;
    if (a === 0) return `${name} ${texts[b as number] ?? ''}`;
    const all = points[at] ?? [];
    const chosen = [...setBits(shared)].map((point) => all[point] as SamplePoint);
    return `${name} ${describePoints(chosen, all).label}`;
  });
  return parts.length === 0 ? 'For any input' : `For ${parts.join(', ')}`.slice(0, 300);
}

/** Most outputs that a finding compares. */
const OUTPUTS_COMPARED_MAX = 2;

const shown = (text: string | undefined): string => (text === undefined || text === '' ? 'empty' : text);

function differingOutputs({ table, order }: MatrixIndex, { first, second }: RowPair): string {
  const [a, b] = [order[first] as number, order[second] as number];
  const differing = table.outputs.flatMap(({ name, cells: { codes, texts } }) =>
    codes[a] === codes[b]
      ? []
      : [`${name} ${shown(texts[codes[a] as number])} or ${shown(texts[codes[b] as number])}`.slice(0, 120)],
  );
  return differing.slice(0, OUTPUTS_COMPARED_MAX).join(', ');
}

function addGaps({ index, points, matching, findings, omissions }: AnalysisState): void {
  const found = findGaps(index, points, matching);
  omissions.push(...found.omissions);
  const { inputs } = index.table;
  const name = (input: number): string => inputs[input]?.name ?? '';
  const describe = ({ values }: Gap): string =>
    values.map(({ input, set }) => `${name(input)} ${set.label}`).join(', ');
  for (const gap of found.gaps)
    findings.push({
      Finding: 'Gap',
      Severity: 'Warning',
      ...(gap.values.length === 1 ? { Input: name(gap.values[0]?.input ?? 0) } : {}),
      Title: 'Gap',
      Description: `No row matches ${describe(gap)}.`,
      Cells: Object.fromEntries(
        gap.values.flatMap(({ input, set }) => (set.cell === undefined ? [] : [[name(input), set.cell]])),
      ),
    });
}
