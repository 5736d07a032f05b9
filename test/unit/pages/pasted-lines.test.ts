/** Rows of a spreadsheet as lines of a ledger. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  readPaste,
  type LineKind,
  type Paste,
  type PasteTerms,
} from '../../../src/surfaces/pages/ledgers/pasted-lines.ts';

const rush: LineKind = { id: 7, name: 'Rush fee', isDebit: true, isTotaled: true, sequence: 9, amount: '40' };
const terms: PasteTerms = { kinds: [rush], currency: 'USD', refusesCardNumbers: true };
const read = (text: string): Paste => readPaste(text, [], terms);
/** Returns the lines as name, side and amount. */
const shown = ({ lines }: Paste): unknown[] =>
  lines.map(({ line }) => [line.LedgerItem, line.IsDebit, line.AmountMoney]);
const errorsOf = ({ lines }: Paste): unknown[] =>
  lines.map(({ errors }) => [...errors].map(([use, { at }]) => [use, at]));

describe('pasted lines', () => {
  it('LED-17 are read by the names of their columns, in any order, with quoted cells and blank rows', () => {
    const paste = read(
      'Date\tDescription\tInvoice\tAmount\tNotes\n3/2/2026\tTitle\tV-1\t$1,234.50\t"A ""b""\nc"\n\t\t\t\t\n',
    );
    assert.deepEqual(paste.uses, ['EffectiveDate', 'LedgerItem', '', 'AmountMoney', 'Description']);
    const line = { LedgerItem: 'Title', AmountMoney: '1234.50', IsDebit: true, EffectiveDate: '2026-03-02' };
    assert.deepEqual(
      paste.lines.map((each) => [each.at, each.line, each.errors.size]),
      [[1, { ...line, Description: 'A "b"\nc', kind: undefined }, 0]],
    );
  });

  it('LED-17 are read by the contents of columns without names', () => {
    const bank = read('2026-03-02\tTitle\t(12.00)\tone\n3/9/2026\tPublication\t$ 5\ttwo');
    assert.deepEqual(bank.uses, ['EffectiveDate', 'LedgerItem', 'AmountMoney', 'Description']);
    assert.deepEqual(shown(bank), [
      ['Title', false, '12.00'],
      ['Publication', true, '5'],
    ]);
    assert.deepEqual(read('Title\t5\nDebit\t6').uses, ['LedgerItem', 'AmountMoney']);
  });

  it('LED-17 have amounts as spreadsheets write them, and their side by column, kind or sign', () => {
    const amounts = ['$ (12.00)', '\u22125', '1,234.50 USD', '$ 7.5', ' .5 ', '+3'];
    const text = `Line\tAmount\n${amounts.map((amount) => `x\t${amount}`).join('\n')}`;
    assert.deepEqual(
      shown(read(text)).map((line) => (line as unknown[]).slice(1)),
      [
        [false, '12.00'],
        [false, '5'],
        [true, '1234.50'],
        [true, '7.5'],
        [true, '.5'],
        [true, '3'],
      ],
    );
    assert.deepEqual(shown(read('Line\tDebit\tCredit\na\t5\t\nb\t0\t6\nc\t\t$ -')), [
      ['a', true, '5'],
      ['b', false, '6'],
      ['c', undefined, undefined],
    ]);
    const kinds = read('Line\tAmount\tKind\na\t5\tcr\n\t\trush fee\nOwn name\t9\tRush fee\nb\t-1\tDebit');
    assert.deepEqual(shown(kinds), [
      ['a', false, '5'],
      ['Rush fee', true, '40'],
      ['Own name', true, '9'],
      ['b', true, '-1'],
    ]);
    assert.deepEqual(errorsOf(kinds), [[], [], [], [['AmountMoney', 1]]]);
  });

  it('LED-17 have their errors at the cells; formulas are only text, and card numbers are refused', () => {
    const wrong = read('Line\tAmount\tDate\tNote\tKind\n=1+1\t=1+1\t13/40/2026\t4111 1111 1111 1111\tFoo\n\t5\t\t@x\t');
    assert.deepEqual(errorsOf(wrong), [
      [
        ['Kind', 4],
        ['EffectiveDate', 2],
        ['AmountMoney', 1],
        ['Description', 3],
      ],
      [['LedgerItem', 0]],
    ]);
    assert.equal(wrong.lines[0]?.line.LedgerItem, '=1+1');
    assert.deepEqual(errorsOf(read('Line\tDebit\tCredit\na\t5\t6\nb\tx\t')), [[['Credit', 2]], [['Debit', 1]]]);
    assert.deepEqual(errorsOf(read('Line\tNote\nTitle\tx')), [[['AmountMoney', undefined]]]);
  });

  it('LED-17 have no amount where a cell names only the currency', () => {
    for (const head of ['Amount', 'Debit']) {
      const [line] = read(`Line\t${head}\nTitle\tUSD`).lines;
      assert.equal(line?.line.AmountMoney, undefined);
      assert.deepEqual(
        [...(line?.errors.values() ?? [])].map(({ text }) => text),
        ['Expected an amount, such as 1,250.00 or (12.00).'],
      );
    }
  });

  it('LED-12 are read only if they have at most 100 columns', () => {
    assert.equal(read('x\t1\t' + '\t'.repeat(97)).problem, undefined);
    const wide = read('x\t1' + '\tx'.repeat(400_000));
    assert.equal(wide.problem, 'You pasted 400,002 columns. At most 100 can be read.');
    assert.deepEqual([wide.rows, wide.uses, wide.lines], [[], [], []]);
  });

  it('LED-12 are at most 1,000, and no two columns are used for the same', () => {
    assert.equal(read('\t\n\n').problem, 'Paste at least one row.');
    const many = read('x\t1\n'.repeat(1_001));
    assert.match(many.problem ?? '', /1,001 rows\. At most 1,000/);
    assert.equal(many.lines.length, 1_000);
    assert.match(readPaste('x\t1', ['LedgerItem', 'LedgerItem'], terms).problem ?? '', /Two columns are used as Line/);
    assert.match(readPaste('1\t1', ['AmountMoney', 'Debit'], terms).problem ?? '', /either Amount, or Debit/);
  });
});
