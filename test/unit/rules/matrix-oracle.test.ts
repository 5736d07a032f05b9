import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { indexMatrix } from '../../../src/modules/rules/matrix/lib/matrix-index.ts';
import { rank, type RankedRow } from '../../../src/modules/rules/matrix/lib/rank.ts';
import { CellsBuilder, type Table } from '../../../src/modules/rules/matrix/lib/table.ts';
import { parseInputValue, type InputType } from '../../../src/lib/decision-tables/input-value.ts';

/** `npm run soak -- matrix` runs all of it: each round is 20,000 lookups. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_MATRIX_ROUNDS'] ?? 1);
const MATRICES = 100;
const LOOKUPS = 200;
const LARGE_ROWS = 10_000;
const LARGE_LOOKUPS = 40 * ROUNDS;

/** Returns numbers below `below` that depend only on a seed. */
function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
type Dice = ReturnType<typeof dice>;

/** A cell as the oracle knows it: its text, and its meaning, which is not parsed from the text. */
interface Meaning {
  readonly text: string;
  holds(value: SubmittedInput): boolean;
}

/** A value as sent, and its meaning. */
interface SubmittedInput {
  readonly text: string;
  readonly word: string;
  readonly number: number | undefined;
  readonly day: string | undefined;
}

const words = [
  'CA',
  'TX',
  'FL',
  'Müller',
  'Acme',
  'Northgate',
  'New York',
  'Straße',
  "O'Brien",
  'a "b"',
  'x,y',
  'not so',
  '1-2',
  'Ångström',
];
const plain = (word: string): string =>
  word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
const needsQuotes = /[",]|^not\s|^["<>=]/i;
const written = (word: string): string => (needsQuotes.test(word) ? `"${word.replaceAll('"', '""')}"` : word);
const pick = <T>(roll: Dice, of: readonly T[]): T => of[roll(of.length)] as T;
const spelled = (roll: Dice, word: string): string =>
  [word, word.toUpperCase(), word.toLowerCase(), word.normalize('NFD')][roll(4)] as string;

function numberText(roll: Dice, value: number): string {
  const forms = [
    String(value),
    value.toLocaleString('en-US', { maximumFractionDigits: 4 }),
    `$${value}`,
    ...(value % 1000 === 0 ? [`${value / 1000}K`] : []),
    `${value}${value % 1 === 0 ? '.00' : ''}`,
  ];
  return (value < 0 ? [String(value), `${value}${value % 1 === 0 ? '.0' : ''}`] : forms)[
    roll(value < 0 ? 2 : forms.length)
  ] as string;
}

const dayText = (n: number): string => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10);
const numberAt = (roll: Dice): number => [roll(40) - 5, roll(20) * 1000, roll(100) / 4][roll(3)] as number;

interface Kind {
  readonly type: InputType;
  value(roll: Dice): SubmittedInput;
  item(roll: Dice): Meaning;
}

const textKind: Kind = {
  type: 'Text',
  value(roll) {
    const word = pick(roll, words);
    return { text: spelled(roll, word), word: plain(word), number: undefined, day: undefined };
  },
  item(roll) {
    const word = pick(roll, words);
    return { text: written(spelled(roll, word)), holds: (value) => value.word === plain(word) };
  },
};

const inOrder = <T extends number | string>(a: T, b: T): readonly [low: T, high: T] => (a <= b ? [a, b] : [b, a]);

function bounds<T extends number | string>(
  roll: Dice,
  at: readonly [T, T],
  text: (v: T) => string,
  read: (value: SubmittedInput) => T | undefined,
): Meaning {
  const [low, high] = inOrder(at[0], at[1]);
  const form = roll(6);
  const test =
    (fits: (v: T) => boolean) =>
    (value: SubmittedInput): boolean => {
      const of = read(value);
      return of !== undefined && fits(of);
    };
  if (form === 0) return { text: `${text(low)} - ${text(high)}`, holds: test((v) => v >= low && v <= high) };
  if (form === 1) return { text: `>${text(low)}`, holds: test((v) => v > low) };
  if (form === 2) return { text: `<${text(high)}`, holds: test((v) => v < high) };
  if (form === 3) return { text: `>= ${text(low)}`, holds: test((v) => v >= low) };
  if (form === 4) return { text: `<=${text(high)}`, holds: test((v) => v <= high) };
  return { text: text(low), holds: test((v) => v === low) };
}

const numberKind = (type: InputType): Kind => ({
  type,
  value(roll) {
    const number = numberAt(roll);
    return { text: numberText(roll, number), word: '', number, day: undefined };
  },
  item: (roll) =>
    bounds(
      roll,
      [numberAt(roll), numberAt(roll)],
      (v) => numberText(roll, v),
      (value) => value.number,
    ),
});

const dateKind: Kind = {
  type: 'Date',
  value(roll) {
    const day = dayText(roll(30));
    return { text: roll(2) === 0 ? day : `${day}T10:00:00`, word: '', number: undefined, day };
  },
  item: (roll) =>
    bounds(
      roll,
      [dayText(roll(30)), dayText(roll(30))],
      (v) => v,
      (value) => value.day,
    ),
};

/** Without a type, words, numbers and dates are mixed. */
const anyKind: Kind = {
  type: undefined,
  value: (roll) => pick(roll, [textKind, numberKind(undefined), dateKind]).value(roll),
  item: (roll) => pick(roll, [textKind, numberKind(undefined), dateKind]).item(roll),
};
const kinds = [textKind, numberKind('Number'), dateKind, anyKind, textKind];

interface GeneratedMatrix {
  readonly table: Table;
  readonly kinds: readonly Kind[];
  readonly weights: readonly number[];
  readonly rows: readonly (readonly (Meaning | undefined)[])[];
}

function cellOf(roll: Dice, kind: Kind, blanks: number): Meaning | undefined {
  if (roll(100) < blanks) return undefined;
  const items = Array.from({ length: roll(4) === 0 ? 1 + roll(4) : 1 }, () => kind.item(roll));
  const text = items.map((item) => item.text).join(', ');
  const any = (value: SubmittedInput): boolean => items.some((item) => item.holds(value));
  return roll(6) === 0 ? { text: `not ${text}`, holds: (value) => !any(value) } : { text, holds: any };
}

function makeMatrix(roll: Dice, size: number): GeneratedMatrix {
  const columns = Array.from({ length: 1 + roll(6) }, () => pick(roll, kinds));
  const weights = columns.map(() => [0, 1, 2, 3, 5, 10, 0.5, 2.25][roll(8)] as number);
  const blanks = [5, 30, 70][roll(3)] as number;
  const rows = Array.from({ length: size }, () => columns.map((kind) => cellOf(roll, kind, blanks)));
  const inputs = columns.map((kind, at) => {
    const cells = new CellsBuilder(size);
    for (const [row, cells_] of rows.entries()) if (cells_[at]) cells.set(row, cells_[at].text);
    return {
      id: at + 1,
      name: `Input ${at}`,
      xpath: undefined,
      weight: weights[at] as number,
      type: kind.type,
      cells: cells.cells(),
    };
  });
  return {
    table: { name: 'made', rowNumbers: Uint32Array.from({ length: size }, (_, row) => row + 1), inputs, outputs: [] },
    kinds: columns,
    weights,
    rows,
  };
}

/** The plain meaning of a lookup: every row is examined, cell by cell, and all are sorted. */
function naive({ rows, weights }: GeneratedMatrix, sent: readonly (SubmittedInput | undefined)[]): RankedRow[] {
  const all = rows.map((cells, row): RankedRow => {
    let [weight, matches, mismatches] = [0, 0, 0];
    for (const [at, cell] of cells.entries()) {
      if (!cell) continue;
      const value = sent[at];
      if (value && cell.holds(value)) {
        weight += weights[at] as number;
        matches++;
      } else mismatches++;
    }
    return { row, weight, matches, mismatches };
  });
  return all.sort(
    (a, b) =>
      Math.sign(a.mismatches) - Math.sign(b.mismatches) ||
      b.weight - a.weight ||
      b.matches - a.matches ||
      a.row - b.row,
  );
}

/** Compared as text: comparing thousands of objects member by member takes longer than all of the lookups. */
const rowText = ({ row, weight, matches, mismatches }: RankedRow): string =>
  `${row}: ${weight}, ${matches} and ${mismatches}`;

async function compare(roll: Dice, made: GeneratedMatrix, lookups: number, seed: number): Promise<void> {
  const index = await indexMatrix(made.table, () => Promise.resolve());
  for (let n = 0; n < lookups; n++) {
    const sent = made.kinds.map((kind) => (roll(8) === 0 ? undefined : kind.value(roll)));
    const values = sent.map((value, at) => (value ? parseInputValue(value.text, made.kinds[at]?.type) : undefined));
    const expected = naive(made, sent);
    const [start, size] = [
      [0, 25],
      [0, 1],
      [0, expected.length + 5],
      [roll(expected.length + 3), 1 + roll(30)],
    ][roll(4)] as [number, number];
    assert.equal(
      rank(index, values, start, size).map(rowText).join('\n'),
      expected
        .slice(start, start + size)
        .map(rowText)
        .join('\n'),
      `seed ${seed}, lookup ${n}: ${sent.map((v) => v?.text ?? '').join(' | ')}`,
    );
  }
}

describe('a lookup and its plain meaning', () => {
  const seed = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? randomInt(2 ** 31));

  it(`RUL-01 RUL-02 the ranking equals that of examining every cell of every row, over ${MATRICES * LOOKUPS * ROUNDS} lookups in random matrices of up to 200 rows`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (let n = 0; n < MATRICES; n++) {
        const roll = dice(seed + round * MATRICES + n);
        await compare(roll, makeMatrix(roll, roll(200)), LOOKUPS, seed + round * MATRICES + n);
      }
    }
  });

  it(`RUL-01 RUL-02 the same in matrices of ${LARGE_ROWS} rows`, async () => {
    const roll = dice(seed);
    for (let n = 0; n < 4; n++) await compare(roll, makeMatrix(roll, LARGE_ROWS), LARGE_LOOKUPS / 4, seed);
  });
});
