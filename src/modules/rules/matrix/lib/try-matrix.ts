import { matchesCell, parseCell, type ParsedCell } from '../../../../lib/decision-tables/cell.ts';
import type { InputValue } from '../../../../lib/decision-tables/input-value.ts';
import { readCell } from '../../../../lib/decision-tables/read-cell.ts';
import type { Trial, TriedCell, TriedRow } from '../../../../lib/decision-tables/tried-row.ts';
import type { MatrixIndex } from './matrix-index.ts';
import { rank } from './rank.ts';
import { inputValues, type SubmittedInputs } from './submitted-inputs.ts';
import { wireName, type Input } from './table.ts';

/** Most other rows that match, and most near misses, that are returned. */
const OTHERS_MAX = 5;

/** Returns which row of a matrix decides for these inputs, and why others do not. */
export function tryMatrix(index: MatrixIndex, sent: SubmittedInputs): Trial {
  const values = inputValues(index, sent);
  const { inputs } = index.table;
  const texts = inputs.map(({ name }) => sent.get(wireName(name).toLowerCase())?.text ?? '');
  const explain = (row: number): TriedRow => explainRow(index, row, { values, texts });
  const [winner, ...others] = rank(index, values, 0, OTHERS_MAX + 1)
    .filter(({ mismatches }) => mismatches === 0)
    .map(({ row }) => explain(row));
  return {
    inputs: Object.fromEntries(inputs.map(({ name }, at) => [name, texts[at] ?? ''])),
    weightMax: roundWeight(inputs.reduce((sum, { weight }) => sum + weight, 0)),
    winner: winner ?? null,
    alsoMatched: others,
    nearMisses: nearMisses(index, values).map(explain),
  };
}

/** Sums of weights have at most four decimals. */
const roundWeight = (weight: number): number => Number(weight.toFixed(4));

/** Returns the rows that one condition keeps from matching, those with the highest weight first. */
function nearMisses({ table, order }: MatrixIndex, values: readonly (InputValue | undefined)[]): number[] {
  const misses = new Uint8Array(order.length);
  for (const [at, input] of table.inputs.entries()) {
    const holds = conditionsOf(input, values[at]);
    for (let position = 0; position < order.length; position++) {
      const code = input.cells.codes[order[position] as number] as number;
      if (holds[code] === false && (misses[position] as number) < 2)
        misses[position] = (misses[position] as number) + 1;
    }
  }
  const found: number[] = [];
  for (let position = 0; position < order.length && found.length < OTHERS_MAX; position++)
    if (misses[position] === 1) found.push(order[position] as number);
  return found;
}

/** Returns, per text of a column, whether a value satisfies it. */
function conditionsOf({ cells, type }: Input, value: InputValue | undefined): boolean[] {
  return cells.texts.map((text) => {
    const parsed = parseCell(text, type);
    return !parsed || (value !== undefined && matchesCell(parsed, value));
  });
}

interface TriedInputs {
  readonly values: readonly (InputValue | undefined)[];
  readonly texts: readonly string[];
}

function explainRow({ table }: MatrixIndex, row: number, { values, texts }: TriedInputs): TriedRow {
  const cells = table.inputs.map((input, at): TriedCell => {
    const cell = input.cells.texts[input.cells.codes[row] ?? 0] ?? '';
    const parsed = parseCell(cell, input.type);
    const value = texts[at] ?? '';
    const common = { input: input.name, cell, value };
    if (!parsed) return { ...common, outcome: 'Blank', weight: 0, reason: 'any' };
    const known = values[at];
    if (!known) return { ...common, outcome: 'Missed', weight: input.weight, reason: 'is not given' };
    const isMet = matchesCell(parsed, known);
    return {
      ...common,
      outcome: isMet ? 'Matched' : 'Missed',
      weight: input.weight,
      reason: isMet ? matchedReason(parsed, value) : `is ${value}, ${missedReason(cell, input)}`,
    };
  });
  const filled = cells.filter(({ outcome }) => outcome !== 'Blank');
  return {
    number: table.rowNumbers[row] ?? 0,
    weight: roundWeight(filled.reduce((sum, { weight }) => sum + weight, 0)),
    cells,
    outputs: table.outputs.map(({ name, cells: { texts: own, codes } }) => ({
      name,
      value: own[codes[row] ?? 0] ?? '',
    })),
  };
}

function matchedReason({ negated, items }: ParsedCell, value: string): string {
  if (negated) return 'not excluded';
  if (items.length > 1) return 'in the list';
  return items[0]?.kind === 'range' ? 'in the range' : `is ${value}`;
}

/** Longest condition that a reason repeats. */
const REASON_MAX = 80;

function missedReason(cell: string, { type }: Input): string {
  const reading = readCell(cell, type);
  const words = reading.kind === 'condition' ? reading.text : cell;
  const isExcluded = words.startsWith('Anything but');
  const rest = words.replace(/^(?:Anything but|One of|Exactly) /, '');
  const lower = /^(?:From|At|More|Less) ?/.test(rest) ? rest.slice(0, 1).toLowerCase() + rest.slice(1) : rest;
  const short = lower.length > REASON_MAX ? `${lower.slice(0, REASON_MAX)} …` : lower;
  return isExcluded ? `which is excluded` : `not ${short}`;
}
