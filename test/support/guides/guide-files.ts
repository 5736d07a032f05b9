import { readFileSync } from 'node:fs';
import { delimited } from '../imports/events.ts';
import { testWorkbook } from '../rules/workbooks.ts';
import type { GuideShell } from './guide-shell.ts';

/** A loan of the demo, and the firm that sent it. */
const LOAN = '415000137';
const PROVIDER_CODE = 'NGL';

/** Saves the files that guides presume the reader has. */
export async function saveReadersFiles(shell: GuideShell, key: string): Promise<void> {
  shell.save('.casewright-key', `${key}\n`);
  shell.save('letter.pdf', '%PDF-1.4\n% a letter\n');
  shell.save('deed.pdf', Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(900_000 - 9, '%')]));
  shell.save(
    'referral.xml',
    readFileSync(new URL('../../../samples/referrals/northgate-law-002-non-judicial.xml', import.meta.url)),
  );
  shell.save(
    'affordability.xlsx',
    await testWorkbook({
      sheets: { Sheet1: { A1: 400, A2: 100, A3: '=A2/A1', A4: '=IF(A3<0.43,"Yes","No")' } },
      names: { Income: 'Sheet1!$A$1', Debt: 'Sheet1!$A$2', Ratio: 'Sheet1!$A$3', Score: 'Sheet1!$A$4' },
    }),
  );
  const event = {
    RecordType: 'EVENT',
    ProviderCode: PROVIDER_CODE,
    InvestorLoanNumberID: LOAN,
    FCAttorneyFileID: 'NGL-24-00001',
    BusinessEventCode: 'E0200',
    EventActualDate: '2026-01-20',
  };
  shell.save('Monday-Events.csv', delimited([event, { ...event, ProviderCode: 'NONE' }], ','));
}
