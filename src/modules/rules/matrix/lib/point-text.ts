import { rounded, type SamplePoint } from './sample-points.ts';

/** A set of values of one input: how people read it, and a cell that matches it. */
export interface ValueSet {
  readonly label: string;
  /** Undefined if cells cannot express it. */
  readonly cell: string | undefined;
}

/** Most values that a label lists. */
const LISTED_MAX = 4;

/** Describes sample points of a column; `all` are those of the whole column, in order. */
export function describePoints(points: readonly SamplePoint[], all: readonly SamplePoint[]): ValueSet {
  const chosen = new Set(points);
  const texts = points.filter(({ kind }) => kind === 'text');
  const runs = runsOf(chosen, all).map((run) => describeRun(run, all));
  if (points.some(({ kind }) => kind === 'other')) return describeOthers(chosen, all, runs);
  const sets = [...texts.map(({ label }) => ({ label, cell: quoted(label) })), ...runs];
  return { label: joined(sets.map(({ label }) => label)), cell: cellOf(sets) };
}

const cellOf = (sets: readonly ValueSet[]): string | undefined =>
  sets.every(({ cell }) => cell !== undefined) ? sets.map(({ cell }) => cell).join(', ') : undefined;

/** Describes points among which is that of all values that no cell lists. */
function describeOthers(
  chosen: ReadonlySet<SamplePoint>,
  all: readonly SamplePoint[],
  runs: readonly ValueSet[],
): ValueSet {
  const texts = all.filter(({ kind }) => kind === 'text');
  const excluded = texts.filter((point) => !chosen.has(point));
  const isAllText = texts.length + 1 === all.length;
  if (isAllText && excluded.length > 0)
    return {
      label: `anything but ${joined(excluded.map((point) => point.label))}`,
      cell: `not ${excluded.map((point) => quoted(point.label)).join(', ')}`,
    };
  if (isAllText || chosen.size === all.length) return { label: 'any value', cell: undefined };
  return { label: joined([...runs.map(({ label }) => label), 'any other text']), cell: undefined };
}

function joined(labels: readonly string[]): string {
  if (labels.length > LISTED_MAX)
    return `${labels.slice(0, LISTED_MAX - 1).join(', ')} and ${labels.length - LISTED_MAX + 1} more`;
  return labels.length > 1 ? `${labels.slice(0, -1).join(', ')} or ${labels.at(-1) ?? ''}` : (labels[0] ?? '');
}

/** A text as a cell lists it. */
const quoted = (text: string): string =>
  /[",]|^not\s|^[<>=≤≥]|\s[-–]\s/i.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

interface Run {
  readonly from: number;
  readonly to: number;
}

/** Returns the runs of neighbouring numbers, and of neighbouring days, by their places in `all`. */
function runsOf(chosen: ReadonlySet<SamplePoint>, all: readonly SamplePoint[]): Run[] {
  const runs: { from: number; to: number }[] = [];
  for (const [at, point] of all.entries()) {
    if (!chosen.has(point) || (point.kind !== 'number' && point.kind !== 'day')) continue;
    const last = runs.at(-1);
    if (last?.to === at - 1 && all[last.to]?.kind === point.kind) last.to = at;
    else runs.push({ from: at, to: at });
  }
  return runs;
}

/** One end of a run of values. */
interface End {
  readonly text: string;
  readonly isIncluded: boolean;
}

function describeRun({ from, to }: Run, all: readonly SamplePoint[]): ValueSet {
  const low = lowEnd(from, all);
  const high = highEnd(to, all);
  if (low && high) {
    if (low.text === high.text) return { label: low.text, cell: low.text };
    const [start, end] = [low.isIncluded ? 'from' : 'above', high.isIncluded ? 'to' : 'to below'];
    return { label: `${start} ${low.text} ${end} ${high.text}`, cell: `${low.text} - ${high.text}` };
  }
  if (low)
    return {
      label: `${low.isIncluded ? 'from' : 'above'} ${low.text}`,
      cell: `>${low.isIncluded ? '=' : ''}${low.text}`,
    };
  if (high)
    return {
      label: `${high.isIncluded ? 'up to' : 'below'} ${high.text}`,
      cell: `<${high.isIncluded ? '=' : ''}${high.text}`,
    };
  return { label: 'any number', cell: undefined };
}

/** Returns where a run begins; undefined if nothing of its kind is below it. */
function lowEnd(from: number, all: readonly SamplePoint[]): End | undefined {
  const point = all[from] as SamplePoint;
  if (point.isEnd) return endAt(point, 'above');
  const before = all[from - 1];
  return before?.kind === point.kind ? { ...endAt(before, 'above'), isIncluded: false } : undefined;
}

function highEnd(to: number, all: readonly SamplePoint[]): End | undefined {
  const point = all[to] as SamplePoint;
  if (point.isEnd) return endAt(point, 'below');
  const after = all[to + 1];
  if (after?.kind !== point.kind) return undefined;
  // Before the first number above 5 ends what includes 5.
  const end = endAt(after, 'below');
  return { ...end, isIncluded: isBeside(after, 'above') };
}

/** Returns a point as an end: the next number above 5 is 5, not included. */
function endAt(point: SamplePoint, side: 'above' | 'below'): End {
  if (point.kind === 'day') return { text: point.label, isIncluded: true };
  const at = point.value.number ?? 0;
  const text = rounded(at).toLocaleString('en-US', { maximumFractionDigits: 15, useGrouping: true });
  return { text, isIncluded: !isBeside(point, side) };
}

/** Whether a point is the next number above or below one that cells have. */
function isBeside({ value: { number = 0 } }: SamplePoint, side: 'above' | 'below'): boolean {
  const near = rounded(number);
  return side === 'above' ? number > near : number < near;
}
