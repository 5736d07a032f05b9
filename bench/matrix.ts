import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { indexMatrix, type MatrixIndex } from '../src/modules/rules/matrix/lib/matrix-index.ts';
import { rankedRowValues } from '../src/modules/rules/matrix/lib/outputs.ts';
import { rank } from '../src/modules/rules/matrix/lib/rank.ts';
import { readSubmittedInputs, inputValues } from '../src/modules/rules/matrix/lib/submitted-inputs.ts';
import { CellsBuilder, type Table } from '../src/modules/rules/matrix/lib/table.ts';
import type { BenchOptions } from './run.ts';
import { compare, line, type Side } from './lib/pairs.ts';

/** Rows of the matrix, and number of different calls made in turn. */
const ROWS = 10_000;
const CALLS = 500;
const PAGE = 25;

/** A column: its number of values, the percentage of blank cells, and its weight. Balance has ranges. */
const columns = [
  { name: 'State', values: 50, blank: 30, weight: 5 },
  { name: 'Client', values: 200, blank: 30, weight: 10 },
  { name: 'Investor', values: 40, blank: 30, weight: 3 },
  { name: 'Balance', values: 100, blank: 30, weight: 1 },
  { name: 'Program', values: 10, blank: 30, weight: 2 },
  { name: 'Kind', values: 5, blank: 20, weight: 4 },
] as const;

type Call = Readonly<Record<string, string | number>>;

interface GeneratedMatrix {
  readonly table: Table;
  readonly rules: readonly Readonly<Record<string, string>>[];
  readonly calls: readonly Call[];
}

/** The part of the peer that is used; it is installed separately and not used by the product. */
interface Peer {
  readonly ZenEngine: new () => {
    createDecision(content: object): { evaluate(input: object): Promise<{ readonly result: unknown }> };
  };
}

/**
 * Lookups in a matrix of 10,000 rows and 6 inputs, compared with the decision table of @gorules/zen-engine: all
 * matching rows (its `collect`) with the ranked best 25, and its first match with the first row.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const peer = 'zen-engine';
  if (!existsSync(join(import.meta.dirname, 'node_modules/@gorules', peer)))
    throw new Error('install the peer first: npm install --prefix bench --ignore-scripts');
  const { ZenEngine } = (await import(`@gorules/${peer}`)) as Peer;
  const made = makeMatrix();
  const index = await indexMatrix(made.table, () => Promise.resolve());
  const engine = new ZenEngine();
  const collecting = engine.createDecision(decision(made.rules, 'collect'));
  const first = engine.createDecision(decision(made.rules, 'first'));
  await agree(index, made, collecting);
  const peerCall =
    (of: typeof first) =>
    async (call: Call): Promise<void> => {
      await of.evaluate(call);
    };
  const own =
    (size: number) =>
    (call: Call): void =>
      void look(index, call, size);
  for (const callers of [1, 50]) {
    for (const [name, of, size, rateAtLeast] of [
      [`best ${PAGE}`, collecting, PAGE, 10],
      ['first row', first, 1, 2],
    ] as const) {
      const figure = `${ROWS} rows, 6 inputs, ${name}, ${callers} at a time`;
      if (options.takes(figure))
        options.print(
          line(
            `matrix: ${figure}`,
            await compare(side(peerCall(of), made.calls, callers), side(own(size), made.calls, callers), options.plan),
            { rateAtLeast },
          ),
        );
    }
  }
}

/** A lookup without the database and the door: parses the inputs, ranks, and makes the rows of an answer. */
function look(index: MatrixIndex, call: Call, size: number): Record<string, unknown>[] {
  return rank(index, inputValues(index, readSubmittedInputs(call)), 0, size).map((ranked) =>
    rankedRowValues(index, ranked),
  );
}

/** Returns random numbers that follow from a seed. */
function dice(): (below: number) => number {
  let state = 20_261_121;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function makeMatrix(): GeneratedMatrix {
  const roll = dice();
  const builders = new Map([...columns.map(({ name }) => name), 'Price'].map((name) => [name, new CellsBuilder(ROWS)]));
  const rules: Record<string, string>[] = [];
  for (let row = 0; row < ROWS; row++) {
    const rule: Record<string, string> = { _id: String(row), outRow: String(row) };
    for (const [at, { name, values, blank }] of columns.entries()) {
      const cellOf = (): ReturnType<typeof range> =>
        name === 'Balance'
          ? range(roll(values), 1 + roll(10))
          : list(
              name,
              Array.from({ length: roll(5) === 0 ? 3 : 1 }, () => roll(values)),
            );
      const cell = roll(100) < blank ? undefined : cellOf();
      rule[`in${at}`] = cell?.peer ?? '';
      if (cell) builders.get(name)?.set(row, cell.own);
    }
    builders.get('Price')?.set(row, String(row));
    rules.push(rule);
  }
  const inputs = columns.map(({ name, weight }, at) => ({
    id: at + 1,
    name,
    xpath: undefined,
    weight,
    type: name === 'Balance' ? ('Number' as const) : ('Text' as const),
    cells: cellsOf(builders, name),
  }));
  const table: Table = {
    name: 'bench',
    rowNumbers: Uint32Array.from({ length: ROWS }, (_, row) => row + 1),
    inputs,
    outputs: [{ id: 1, name: 'Price', type: 'Number', objectType: undefined, cells: cellsOf(builders, 'Price') }],
  };
  const calls = Array.from({ length: CALLS }, (): Call =>
    Object.fromEntries(
      columns.map(({ name, values }) => [
        name,
        name === 'Balance' ? roll(values) * 10_000 + 5 : `${name}${roll(values)}`,
      ]),
    ),
  );
  return { table, rules, calls };
}

const cellsOf = (builders: ReadonlyMap<string, CellsBuilder>, name: string): ReturnType<CellsBuilder['cells']> =>
  (builders.get(name) as CellsBuilder).cells();
const list = (name: string, values: readonly number[]): { own: string; peer: string } => ({
  own: values.map((v) => `${name}${v}`).join(', '),
  peer: values.map((v) => `"${name}${v}"`).join(', '),
});
const range = (low: number, span: number): { own: string; peer: string } => ({
  own: `${low * 10_000} - ${(low + span) * 10_000}`,
  peer: `[${low * 10_000}..${(low + span) * 10_000}]`,
});

function decision(rules: GeneratedMatrix['rules'], hitPolicy: 'first' | 'collect'): object {
  const table = {
    hitPolicy,
    inputs: columns.map(({ name }, at) => ({ id: `in${at}`, name, type: 'expression', field: name })),
    outputs: [{ id: 'outRow', name: 'Row', type: 'expression', field: 'row' }],
    rules,
  };
  const place = { x: 0, y: 0 };
  return {
    nodes: [
      { id: 'in', name: 'in', type: 'inputNode', position: place },
      { id: 'table', name: 'table', type: 'decisionTableNode', position: place, content: table },
      { id: 'out', name: 'out', type: 'outputNode', position: place },
    ],
    edges: [
      { id: 'a', sourceId: 'in', targetId: 'table', type: 'edge' },
      { id: 'b', sourceId: 'table', targetId: 'out', type: 'edge' },
    ],
  };
}

/** Throws unless both sides find the same rows for every call. */
async function agree(
  index: MatrixIndex,
  { calls }: GeneratedMatrix,
  collecting: { evaluate(input: object): Promise<{ readonly result: unknown }> },
): Promise<void> {
  let found = 0;
  for (const call of calls) {
    const theirs = ((await collecting.evaluate(call)).result as { readonly row: number }[])
      .map(({ row }) => row)
      .sort((a, b) => a - b);
    const ours = rank(index, inputValues(index, readSubmittedInputs(call)), 0, ROWS)
      .filter(({ mismatches }) => mismatches === 0)
      .map(({ row }) => row)
      .sort((a, b) => a - b);
    if (theirs.join() !== ours.join())
      throw new Error(`the two find other rows for ${JSON.stringify(call)}: ${theirs.length} and ${ours.length}`);
    found += ours.length;
  }
  if (found < CALLS) throw new Error('hardly anything matches');
}

function side(run: (call: Call) => void | Promise<void>, calls: readonly Call[], callers: number): Side {
  let next = 0;
  return {
    async slice(milliseconds) {
      const began = performance.now();
      let done = 0;
      const caller = async (): Promise<void> => {
        while (performance.now() - began < milliseconds) {
          await run(calls[next++ % calls.length] as Call);
          done++;
        }
      };
      await Promise.all(Array.from({ length: callers }, caller));
      return { calls: done, seconds: (performance.now() - began) / 1_000 };
    },
    cpu: async () => process.cpuUsage(),
  };
}
