import { describe, it } from 'node:test';
import { importEngineConformance, type EngineSubject } from '../../../src/contracts/conformance/import-engine.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { jsonEngine } from '../../../src/providers/import-engine/json/json-engine.ts';
import { templateOf } from '../../support/imports/reading.ts';

const foreign = [
  { fileName: 'a.csv', bytes: Buffer.from('Loan,Name\r\n1,x\r\n') },
  { fileName: 'a.xml', bytes: Buffer.from('<LoanCollection><LoanItem><Loan>1</Loan></LoanItem></LoanCollection>') },
  { fileName: 'contacts.json', bytes: Buffer.from('{"ContactCollection":{"ContactItem":[{"Loan":"1"}]}}') },
  { fileName: 'a.png', bytes: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
];
const objects = (rows: number): string[] =>
  Array.from({ length: rows }, (_, n) =>
    JSON.stringify({
      Loan: n + 1,
      Name: `Müller "${n}"`,
      Property: { City: 'Rome' },
      Borrowers: [{ LastName: 'A' }, { LastName: `B${n}` }],
    }),
  );
const forms: Readonly<Record<string, (rows: number) => string>> = {
  'a list': (rows) => `[${objects(rows).join(',\n')}]`,
  lines: (rows) => objects(rows).join('\n'),
  'a collection': (rows) => `{"LoanCollection":{"LoanItem":[${objects(rows).join(',')}]}}`,
};

for (const [form, textOf] of Object.entries(forms)) {
  const subject: EngineSubject = {
    engine: jsonEngine,
    template: templateOf({}, [{ source: 'Loan', type: 'Key' }]),
    document: (rows) => ({ fileName: 'loans.json', bytes: Buffer.from(textOf(rows)) }),
    faulty: { fileName: 'loans.json', bytes: Buffer.from('[{"Loan":1},') },
    foreign,
    ctx: {} as Context,
  };
  describe(`the JSON engine with ${form}`, () => {
    for (const { title, check } of importEngineConformance) it(title, () => check(subject));
  });
}
