import { describe, it } from 'node:test';
import { importEngineConformance, type EngineSubject } from '../../../src/contracts/conformance/import-engine.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { escapeText } from '../../../src/kernel/xml/element.ts';
import { xmlEngine } from '../../../src/providers/import-engine/xml/xml-engine.ts';
import { templateOf } from '../../support/imports/reading.ts';

const loanItem = (n: number): string =>
  `<LoanItem SubscriberID="s${n}"><Loan>${n + 1}</Loan><Name>${escapeText(`Müller & "${n}"`)}</Name>` +
  '<Property><City>Rome</City></Property><Borrowers><ContactItem><LastName>A</LastName></ContactItem>' +
  '<ContactItem><LastName>B</LastName></ContactItem></Borrowers></LoanItem>';

const subject: EngineSubject = {
  engine: xmlEngine,
  template: templateOf({}, [{ source: 'Loan', type: 'Key' }]),
  document: (rows) => ({
    fileName: 'loans.xml',
    bytes: Buffer.from(
      '<?xml version="1.0"?><LoanCollection Reference="r">' +
        `${Array.from({ length: rows }, (_, n) => loanItem(n)).join('\n')}</LoanCollection>`,
    ),
  }),
  faulty: { fileName: 'loans.xml', bytes: Buffer.from('<LoanCollection><LoanItem>') },
  foreign: [
    { fileName: 'a.csv', bytes: Buffer.from('Loan,Name\r\n1,x\r\n') },
    { fileName: 'a.json', bytes: Buffer.from('[{"Loan":"1"}]') },
    {
      fileName: 'contacts.xml',
      bytes: Buffer.from('<ContactCollection><ContactItem><Loan>1</Loan></ContactItem></ContactCollection>'),
    },
    { fileName: 'a.html', bytes: Buffer.from('<!DOCTYPE html><html><body></body></html>') },
    { fileName: 'a.png', bytes: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
  ],
  ctx: {} as Context,
};

describe('the XML engine', () => {
  for (const { title, check } of importEngineConformance) it(title, () => check(subject));
});
