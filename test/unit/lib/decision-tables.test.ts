import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { differencesOf } from '../../../src/lib/decision-tables/differences.ts';
import { GridEditError } from '../../../src/lib/decision-tables/grid-edit-error.ts';
import { applyEdit, inverseOf, parseEdits, type Grid, type GridEdit } from '../../../src/lib/decision-tables/grid.ts';
import { readCell, storedText } from '../../../src/lib/decision-tables/read-cell.ts';

const gridOf = (rows: readonly (readonly string[])[]): Grid => ({
  columns: [
    { kind: 'Input', name: 'State', weight: '5', type: null, objectType: null },
    { kind: 'Input', name: 'Balance', weight: '1', type: 'Number', objectType: null },
    { kind: 'Output', name: 'Price', weight: null, type: null, objectType: null },
  ],
  rows,
});
const cell = fc.constantFrom('', 'CA', 'TX', '1', '2');
const rowsOf = (max: number): fc.Arbitrary<string[][]> =>
  fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: max });
const columnEdits: fc.Arbitrary<GridEdit> = fc.oneof(
  fc.record({
    kind: fc.constant('addColumn' as const),
    at: fc.nat(2),
    column: fc.constant({ kind: 'Input' as const, name: 'Court', weight: '1', type: null, objectType: null }),
  }),
  fc.record({ kind: fc.constant('removeColumn' as const), column: fc.nat(2) }),
  fc.record({ kind: fc.constant('moveColumn' as const), from: fc.nat(1), to: fc.nat(1) }),
  fc.record({ kind: fc.constant('renameColumn' as const), column: fc.nat(2), name: fc.constantFrom('Price', 'Fee') }),
  fc.record({
    kind: fc.constant('typeColumn' as const),
    column: fc.nat(2),
    type: fc.constantFrom('Number', null),
    objectType: fc.constant(null),
  }),
);
const edits = (rows: number): fc.Arbitrary<GridEdit> =>
  fc.oneof(
    fc
      .uniqueArray(fc.record({ row: fc.nat(rows - 1), column: fc.nat(2), text: cell }, { noNullPrototype: true }), {
        maxLength: 4,
        selector: ({ row, column }) => `${row} ${column}`,
      })
      .map((cells) => ({ kind: 'set' as const, cells })),
    fc.record({ kind: fc.constant('insert' as const), at: fc.nat(rows), rows: rowsOf(3) }),
    fc
      .record({ at: fc.nat(rows - 1), more: fc.nat(3) })
      .map(({ at, more }) => ({ kind: 'remove' as const, at, count: Math.min(more + 1, rows - at) })),
    fc.record({ kind: fc.constant('move' as const), from: fc.nat(rows - 1), to: fc.nat(rows - 1) }),
    fc.record({ kind: fc.constant('weight' as const), column: fc.nat(1), weight: fc.constantFrom('3', '4') }),
    columnEdits,
  );

describe('edits of a decision table', () => {
  it('WEB-04 are undone by their inverse, and survive being sent as JSON', () => {
    fc.assert(
      fc.property(
        rowsOf(6).chain((rows) => fc.tuple(fc.constant(gridOf(rows)), edits(rows.length))),
        ([grid, edit]) => {
          const after = applyEdit(grid, edit);
          assert.deepEqual(applyEdit(after, inverseOf(grid, edit)), grid);
          assert.deepEqual(parseEdits(JSON.parse(JSON.stringify([edit]))), [{ ...edit }]);
        },
      ),
    );
  });

  it('WEB-04 are refused where they do not fit, saying what was expected', () => {
    const grid = gridOf([['CA', '', '1']]);
    const refusals: [unknown, RegExp][] = [
      [{ kind: 'set', cells: [{ row: 1, column: 0, text: 'x' }] }, /a row from 1 to 1/],
      [{ kind: 'set', cells: [{ row: 0, column: 3, text: 'x' }] }, /a column from 1 to 3/],
      [{ kind: 'set', cells: [{ row: 0, column: 0, text: 'x'.repeat(4001) }] }, /at most 4,000 characters/],
      [{ kind: 'insert', at: 0, rows: [['x']] }, /3 cells in each row/],
      [{ kind: 'remove', at: 0, count: 2 }, /rows from 1 to 1/],
      [{ kind: 'weight', column: 2, weight: '1' }, /an input/],
      [{ kind: 'moveColumn', from: 1, to: 2 }, /another column of its kind/],
      [{ kind: 'addColumn', at: 3, column: grid.columns[0] }, /a position from 1 to 3: inputs are before outputs/],
      [{ kind: 'removeColumn', column: 3 }, /a column from 1 to 3/],
      [{ kind: 'toString' }, /at 1/],
      ['text', /at 1/],
    ];
    for (const [sent, expected] of refusals)
      assert.throws(
        () => parseEdits([sent]).reduce(applyEdit, grid),
        (error) => error instanceof GridEditError && expected.test(error.expected),
      );
  });
});

describe('differences of two decision tables', () => {
  it('WEB-04 lead from one to the other, and equal tables have none', () => {
    fc.assert(
      fc.property(rowsOf(8), rowsOf(8), (before, after) => {
        assert.deepEqual(differencesOf(gridOf(before), gridOf(before)).rows, []);
        const { rows, added, changed, removed } = differencesOf(gridOf(before), gridOf(after));
        const gone = new Set(rows.flatMap((row) => (row.kind === 'removed' ? [row.before] : [])));
        const remaining = before.filter((_, at) => !gone.has(at));
        const rebuilt: (readonly string[])[] = [];
        for (let at = 0; at < after.length; at++) {
          const found = rows.find((row) => row.kind !== 'removed' && row.after === at);
          const old = found?.kind === 'added' ? [] : (remaining.shift() ?? []);
          if (found?.kind === 'changed')
            assert.deepEqual(
              found.cells.map(({ column, before: text }) => [column, text]),
              old.flatMap((text, column) => (text === after[at]?.[column] ? [] : [[column, text]])),
            );
          rebuilt.push(found ? (after[at] ?? []) : old);
        }
        assert.deepEqual(rebuilt, after);
        assert.deepEqual(remaining, []);
        assert.equal(added + changed + removed, rows.length);
      }),
      { numRuns: 500 },
    );
  });

  it('WEB-05 pair the cells of a column that was renamed and moved, and name what became of each', () => {
    const before = gridOf([['NY', '1', '3750']]);
    const after = [
      { kind: 'renameColumn' as const, column: 1, name: 'Amount' },
      { kind: 'moveColumn' as const, from: 1, to: 0 },
      { kind: 'removeColumn' as const, column: 1 },
      { kind: 'typeColumn' as const, column: 1, type: 'Money', objectType: null },
    ].reduce(applyEdit, before);
    const { columns, rows } = differencesOf(before, after);
    assert.deepEqual(rows, []);
    assert.deepEqual(
      columns.map(({ kind, name }) => `${name} ${kind}`),
      ['Amount renamed', 'Price type', 'State removed'],
    );
  });

  it('WEB-04 name changed cells, rows added and removed in the middle, weights and columns', () => {
    const before = gridOf([
      ['NY', '', '3750'],
      ['IN', '', '2950'],
      ['PA', '', '3475'],
    ]);
    const after = gridOf([
      ['NY', '', '3875'],
      ['PA', '', '3475'],
      ['VA', '>=5', '9'],
    ]);
    const heavier = after.columns.map((column, at) => (at === 0 ? { ...column, weight: '40' } : column));
    const { rows, columns } = differencesOf(before, { ...after, columns: heavier });
    assert.deepEqual(rows, [
      { kind: 'changed', before: 0, after: 0, cells: [{ column: 2, before: '3750' }] },
      { kind: 'removed', before: 1, at: 1, cells: ['IN', '', '2950'] },
      { kind: 'added', after: 2 },
    ]);
    assert.deepEqual(columns, [{ kind: 'weight', name: 'State', before: '5', after: '40' }]);
  });
});

describe('what was typed in a cell', () => {
  it('RUL-02 is stored as the lookup reads it', () => {
    const typed: [string, 'Text' | 'Number' | 'Date' | undefined, string][] = [
      [' any ', 'Number', ''],
      ['*', undefined, ''],
      ['"any"', undefined, '"any"'],
      ['200k to 500k', 'Number', '200k - 500k'],
      ['not between 1 and 5', undefined, 'not 1 - 5'],
      ['Salt and Pepper', undefined, 'Salt and Pepper'],
      ['1 to 5', 'Text', '1 to 5'],
      ['1/31/2026', 'Date', '2026-01-31'],
      ['1/1/2026 to 2/30/2026', 'Date', '2026-01-01 to 2/30/2026'],
    ];
    for (const [text, type, stored] of typed) assert.equal(storedText(text, type), stored, text);
  });

  it('RUL-02 is described in words, with advice where it is read as text, and what was expected where it is unreadable', () => {
    const read = (text: string, type?: 'Text' | 'Number' | 'Date'): string => {
      const reading = readCell(text, type);
      if (reading.kind === 'any') return 'any';
      return reading.kind === 'condition' ? [reading.text, reading.advice ?? ''].join(' ').trim() : reading.expected;
    };
    assert.equal(read(''), 'any');
    assert.equal(read('AR, CA, FL'), 'One of AR, CA or FL');
    assert.equal(read('not NY, NJ'), 'Anything but NY or NJ');
    assert.equal(read('200,000 - 500K', 'Number'), 'From 200,000 to 500,000, both included');
    assert.equal(read('>500K', 'Number'), 'More than 500,000');
    assert.equal(read('<=0.5', 'Number'), 'At most 0.5');
    assert.equal(read('<0'), 'Less than 0');
    assert.equal(read('$1,500.00'), 'Exactly 1,500');
    assert.equal(read('>2026-01-31', 'Date'), 'More than Jan 31, 2026');
    assert.match(read('5+'), /^5\+ It is compared as text. For this or more, write >=5\./);
    assert.match(read('x', 'Number'), /a number such as 1,500/);
  });
});
