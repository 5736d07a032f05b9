import { f } from '../../../../kernel/declare/field.ts';
import type { MatrixIndex } from './matrix-index.ts';
import { isWithin, overlaps, samplePoints, matchingPoints, type SamplePoint } from './sample-points.ts';
import { findMisreadCells } from './misread-cell.ts';
import { rank } from './rank.ts';

/** Most combinations of values that are looked up in search of gaps. */
const COMBINATIONS_MAX = 50_000;
/** Most pairs of rows that are compared. */
const PAIRS_MAX = 1_000_000;
/** Most comparisons of a cell with a value, over all columns. */
const COMPARISONS_MAX = 20_000_000;
/** Most findings of one kind that are returned. */
export const FINDINGS_MAX = 100;

/** The kinds of findings. */
const findingKinds = [
  'Contradiction',
  'Read as text',
  'Odd one out',
  'Missing matrix',
  'Circle',
  'Duplicate',
  'Unreachable',
  'Tie',
  'Gap',
] as const;

/** The columns of a finding. */
export const findingFields = {
  Finding: f.choice(findingKinds, {
    doc:
      'Contradiction: a cell that nothing can match. Read as text: a cell that looks like a range, date, list or ' +
      'operator, but is compared as text. Odd one out: a text in an input that is mostly numbers or days. ' +
      'Missing matrix: a cell that names a matrix which does not exist. Circle: a cell that names a matrix which ' +
      'leads back to this one. Duplicate: rows with the same conditions, of which the first decides. ' +
      'Unreachable: a row that an earlier row always beats. Tie: rows that can match equally well, so that their ' +
      'order decides. Gap: values for which no row is eligible.',
  }),
  Row: f.integer({ doc: 'The row. Empty for a gap.' }),
  OtherRow: f.integer({ doc: 'The row that beats it or ties with it.' }),
  Input: f.text({ doc: 'The input, for a finding about one cell and for a gap of a single input.' }),
  Output: f.text({ doc: 'The output, for a missing matrix and a circle.' }),
  Description: f.text({ doc: 'The finding.' }),
};

/** One finding. */
export interface Finding {
  readonly Finding: (typeof findingKinds)[number];
  readonly Row?: number;
  readonly OtherRow?: number;
  readonly Input?: string;
  readonly Output?: string;
  readonly Description: string;
}

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
  readonly yieldTurn: () => Promise<void>;
}

/** Finds contradictions, unreachable rows, ties and gaps. The work is bounded; `omissions` lists what was skipped. */
export async function analyzeMatrix(index: MatrixIndex, breathe: () => Promise<void>): Promise<Analysis> {
  const { inputs } = index.table;
  const points = inputs.map(samplePoints);
  const comparisons = inputs.reduce((sum, { cells }, at) => sum + cells.texts.length * (points[at]?.length ?? 0), 0);
  const undone: string[] = [];
  if (comparisons > COMPARISONS_MAX) {
    undone.push(
      `The cells list too many different values (${comparisons.toLocaleString('en-US')} comparisons; the ` +
        `limit is ${COMPARISONS_MAX.toLocaleString('en-US')}): contradictions, unreachable rows and ties were ` +
        'not checked.',
    );
  }
  const taken: (Int32Array | undefined)[][] = [];
  for (const [at, input] of inputs.entries()) {
    await breathe();
    taken.push(comparisons > COMPARISONS_MAX ? [] : matchingPoints(input, points[at] ?? []));
  }
  const work: AnalysisState = { index, points, matching: taken, findings: [], omissions: undone, yieldTurn: breathe };
  findMisread(work);
  if (comparisons <= COMPARISONS_MAX) {
    findContradictions(work);
    await compareRows(work);
  }
  await findGaps(work);
  return { findings: work.findings, omissions: undone };
}

function findContradictions({ index: { table }, matching: taken, findings }: AnalysisState): void {
  let found = 0;
  for (const [at, { name, cells }] of table.inputs.entries()) {
    for (const [row, code] of cells.codes.entries()) {
      if (taken[at]?.[code]?.every((word) => word === 0) !== true || ++found > FINDINGS_MAX) continue;
      findings.push({
        Finding: 'Contradiction',
        Row: table.rowNumbers[row] ?? 0,
        Input: name,
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
        Row,
        Input: name,
        Description: `"${(cells.texts[code] ?? '').slice(0, 100)}": ${advice}`,
      });
    }
  }
}

/**
 * Finds ties and unreachable rows. Only rows with the same full score can tie. The earlier of two beats the later if it
 * matches everything that the later matches.
 */
async function compareRows(work: AnalysisState): Promise<void> {
  const {
    index: { fullScores, positions },
    yieldTurn: breathe,
  } = work;
  let pairs = 0;
  const counts = { Unreachable: 0, Tie: 0 };
  // Of equal rows only the first is compared with others.
  const order = await findDuplicates(work);
  const scoreOf = (at: number): number | undefined => fullScores[positions[order[at] as number] as number];
  for (let first = 0; first < order.length; first++) {
    for (let second = first + 1; second < order.length && scoreOf(second) === scoreOf(first); second++) {
      if (++pairs > PAIRS_MAX) {
        work.omissions.push(
          `Only ${PAIRS_MAX.toLocaleString('en-US')} pairs of rows were compared, up to ` +
            `row ${work.index.table.rowNumbers[order[first] as number]}.`,
        );
        return;
      }
      if (pairs % 100_000 === 0) await breathe();
      const finding = comparePair(work, order[first] as number, order[second] as number);
      if (finding && counts[finding.Finding]++ < FINDINGS_MAX) work.findings.push(finding);
    }
  }
}

/** Most rows that a finding lists. */
const ROWS_LISTED_MAX = 20;

/**
 * Reports rows with the same conditions, each group once. Returns the rows in ranking order, of each group the first.
 */
async function findDuplicates({ index, matching, findings, yieldTurn }: AnalysisState): Promise<readonly number[]> {
  const { order, table } = index;
  const canonical = matching.map(canonicalCodes);
  const groups = new Map<string, number[]>();
  for (const [at, row] of order.entries()) {
    if (at % 10_000 === 0) await yieldTurn();
    const key = table.inputs.map(({ cells }, column) => canonical[column]?.[cells.codes[row] as number] ?? 0).join(' ');
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  let found = 0;
  for (const rows of groups.values()) {
    if (rows.length === 1 || ++found > FINDINGS_MAX) continue;
    const numbers = rows.map((row) => table.rowNumbers[row] ?? 0).sort((a, b) => a - b);
    const [first = 0, second = 0] = numbers;
    const listed = numbers.slice(0, ROWS_LISTED_MAX).join(', ');
    const more = numbers.length > ROWS_LISTED_MAX ? ` and ${numbers.length - ROWS_LISTED_MAX} more` : '';
    findings.push({
      Finding: 'Duplicate',
      Row: second,
      OtherRow: first,
      Description: `Rows ${listed}${more} have the same conditions; row ${first} decides because it comes first.`,
    });
  }
  return [...groups.values()].map(([row]) => row as number);
}

/** Returns, per code of a column, the first code that matches the same values: `CA` and `ca` are the same condition. */
function canonicalCodes(taken: readonly (Int32Array | undefined)[]): number[] {
  const first = new Map<string, number>();
  return taken.map((bits, code) => {
    const key = bits?.join() ?? 'any';
    const known = first.get(key);
    if (known !== undefined) return known;
    first.set(key, code);
    return code;
  });
}

function comparePair(
  { index: { table }, matching: taken }: AnalysisState,
  earlier: number,
  later: number,
): (Finding & { readonly Finding: 'Unreachable' | 'Tie' }) | undefined {
  let isCovered = true;
  for (const [at, { cells }] of table.inputs.entries()) {
    const a = taken[at]?.[cells.codes[earlier] as number];
    const b = taken[at]?.[cells.codes[later] as number];
    if (a && b && !overlaps(a, b)) return undefined;
    if (a && !(b && isWithin(b, a))) isCovered = false;
    // A cell that nothing can match is reported as a contradiction.
    if ([a, b].some((bits) => bits?.every((word) => word === 0) === true)) return undefined;
  }
  const [Row, OtherRow] = [table.rowNumbers[later] ?? 0, table.rowNumbers[earlier] ?? 0];
  return isCovered
    ? {
        Finding: 'Unreachable',
        Row,
        OtherRow,
        Description:
          `Every input that row ${Row} matches is also matched by row ${OtherRow}, which has the same weight ` +
          'and comes first.',
      }
    : {
        Finding: 'Tie',
        Row,
        OtherRow,
        Description:
          `Rows ${OtherRow} and ${Row} can both match with the same weight; row ${OtherRow} decides because it ` +
          'comes first.',
      };
}

/**
 * Returns each column's sample points that no cell matches. No row matches them, so combinations with them would only
 * repeat the finding.
 */
function uncoveredPoints({
  index: { table },
  points,
  matching: taken,
}: AnalysisState): readonly ReadonlySet<SamplePoint>[] {
  return table.inputs.map(({ cells: { codes } }, at) => {
    // The first text is the empty one, which matches everything.
    const [, ...filled] = taken[at] ?? [];
    if (filled.length === 0 || codes.includes(0)) return new Set();
    return new Set(
      points[at]?.filter((_point, n) =>
        filled.every((bits) => bits !== undefined && ((bits[n >>> 5] as number) & (1 << (n & 31))) === 0),
      ),
    );
  });
}

/**
 * Looks up combinations of the columns' sample points: all if they are few, otherwise as many as the limit allows,
 * evenly spread.
 */
async function findGaps(work: AnalysisState): Promise<void> {
  const { index, points, findings, omissions: undone, yieldTurn: breathe } = work;
  const { inputs, rowNumbers } = index.table;
  if (rowNumbers.length === 0) return;
  // A row of only empty cells matches everything.
  if (index.fullCounts.some((count) => count === 0)) return;
  let found = 0;
  const missed = uncoveredPoints(work);
  for (const [at, { name }] of inputs.entries()) {
    for (const { label } of missed[at] ?? []) {
      if (++found <= FINDINGS_MAX)
        findings.push({
          Finding: 'Gap',
          Input: name,
          Description: `No row matches ${name} = ${label}, whatever the other inputs are.`,
        });
    }
  }
  const left = points.map((of, at) => of.filter((point) => missed[at]?.has(point) !== true));
  const total = left.reduce((product, of) => product * of.length, 1);
  if (total === 0) return;
  const tried = Math.min(total, COMBINATIONS_MAX);
  const steps = total / tried;
  if (total > tried)
    undone.push(
      `Gaps were searched in ${tried.toLocaleString('en-US')} ` +
        `of ${total > 1e15 ? 'very many' : total.toLocaleString('en-US')} combinations of values.`,
    );
  for (let n = 0; n < tried && found < FINDINGS_MAX; n++) {
    if (n % 2_000 === 0) await breathe();
    const chosen = combinationAt(left, Math.floor(n * steps));
    const [best] = rank(
      index,
      chosen.map(({ value }) => value),
      0,
      1,
    );
    if (!best || best.mismatches === 0) continue;
    found++;
    findings.push({
      Finding: 'Gap',
      Description: `No row matches ${inputs.map(({ name }, at) => `${name} = ${chosen[at]?.label ?? ''}`).join(', ')}.`,
    });
  }
}

/** Returns the combination with a number: each column is one digit of it. */
function combinationAt(points: readonly (readonly SamplePoint[])[], number: number): SamplePoint[] {
  let rest = number;
  return points.map((of) => {
    const point = of[rest % of.length] as SamplePoint;
    rest = Math.floor(rest / of.length);
    return point;
  });
}
