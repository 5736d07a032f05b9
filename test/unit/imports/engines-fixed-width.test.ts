import { describe, it } from 'node:test';
import { importEngineConformance, type EngineSubject } from '../../../src/contracts/conformance/import-engine.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { fixedWidthEngine } from '../../../src/providers/import-engine/fixed-width/fixed-width-engine.ts';
import { templateOf } from '../../support/imports/reading.ts';

const foreign = [
  { fileName: 'a.csv', bytes: Buffer.from('Loan,Name\r\n1,x\r\n') },
  { fileName: 'a.xml', bytes: Buffer.from('<LoanCollection><LoanItem><Loan>1</Loan></LoanItem></LoanCollection>') },
  { fileName: 'a.png', bytes: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
];

for (const [kind, end] of [
  ['lines', '\r\n'],
  ['rows without line ends', ''],
] as const) {
  const subject: EngineSubject = {
    engine: fixedWidthEngine,
    template: templateOf({ Columns: 'Loan:6,Name:10,Note:4', Lines: String(end !== '') }, [
      { source: 'Loan', type: 'Key' },
    ]),
    document: (rows) => ({
      fileName: 'loans.txt',
      bytes: Buffer.from(
        Array.from({ length: rows }, (_, n) => `${String(n).padStart(6)}${`Name ${n}`.padEnd(10)}x   ${end}`).join(''),
      ),
    }),
    faulty: { fileName: 'loans.txt', bytes: Buffer.from('too short') },
    foreign,
    ctx: {} as Context,
  };
  describe(`the fixed-width engine with ${kind}`, () => {
    for (const { title, check } of importEngineConformance) it(title, () => check(subject));
  });
}
