import { contactName, isBorrower, isRepresented, readParties } from '../case/parties.ts';
import type { PageCall } from '../page-call.ts';
import type { PayingRecord } from './methods-path.ts';

/** Who most likely pays. */
export interface ObviousPayer {
  readonly name: string;
  /** Empty if it is not known, or only an attorney may be written to. */
  readonly email: string;
}

/** Returns the borrower of a case or loan, if it has exactly one. */
export async function obviousPayer(call: PageCall, { object, id }: PayingRecord): Promise<ObviousPayer | undefined> {
  const record = call.platform.registry.requireRecord(object, 'Object');
  if (record.root.name !== 'Process' && record.name !== 'Loan') return undefined;
  const parties = await readParties(call, record, id);
  const [borrower, ...others] = parties.contacts.filter(isBorrower);
  if (!borrower || others.length > 0) return undefined;
  const methods = parties.methods.get(borrower.ContactID) ?? [];
  const emails = methods.filter(({ MethodType }) => /^e-?mail$/i.test(MethodType ?? ''));
  return { name: contactName(borrower), email: isRepresented(parties) ? '' : (emails[0]?.ContactValue ?? '') };
}
