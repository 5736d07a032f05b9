import type { Client, Row } from './client.ts';
import { pdfOf } from './documents.ts';

/** A case with a borrower, and a letter for it. */
export interface MailedCase {
  readonly caseId: number;
  readonly loanId: number;
  readonly contactId: number;
  readonly documentId: number;
}

/** The address that borrowers have unless another is given. */
export const ADDRESS = { Address: '12 Main St', City: 'Springfield', State: 'IL', PostalCode: '62701' } as const;

/** Creates a case with a borrower of this name, and a letter of two pages. */
export async function mailedCase(admin: Client, name: string, address: object = ADDRESS): Promise<MailedCase> {
  const loan = await admin.save('loan', { Loan: `Loan ${name}` });
  const loanId = Number(loan['LoanID']);
  const contact = await admin.save('contact', {
    Object: 'Loan',
    ObjectID: loanId,
    LastName: name,
    FirstName: 'Ann',
    BorrowerType: 'Primary',
    Sequence: 1,
    ...address,
  });
  const caseRow = await admin.save('foreclosure', { Foreclosure: `Case ${name}`, LoanID: loanId });
  const caseId = Number(caseRow['ForeclosureID']);
  const documentId = await addLetter(admin, caseId, name);
  return { caseId, loanId, contactId: Number(contact['ContactID']), documentId };
}

/** Adds a letter of two pages to a case. */
export async function addLetter(admin: Client, caseId: number, name: string): Promise<number> {
  const document = await admin.save('attachment', {
    Object: 'Foreclosure',
    ObjectID: caseId,
    FileName: `Letter ${name}.pdf`,
    Content: (await pdfOf(`Dear ${name}`, 'second page')).toString('base64'),
  });
  return Number(document['AttachmentID']);
}

/** Prepares a mailing and returns its letters. */
export function prepare(admin: Client, parameters: object): Promise<Row[]> {
  return admin.expectRows('delivery/prepare', parameters);
}
