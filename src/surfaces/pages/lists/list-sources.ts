import type { OperationName, RecordName } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { PageCall } from '../page-call.ts';
import type { PlaceName } from '../shell/places.ts';

/** What a list shows unless the user chooses otherwise. */
export interface ListSource {
  readonly record: RecordType;
  /** The list's address. */
  readonly path: string;
  readonly title: string;
  readonly place: PlaceName;
  /** Columns in their order; undefined for those that have values. */
  readonly columns: readonly string[] | undefined;
  readonly orderBy: string;
  /** The order of records without a named filter, if it is another: one that an index has for all of them. */
  readonly orderOfAll?: string;
  /** A column that the footer adds up, and a named filter whose records it counts. */
  readonly totals?: { readonly sum: string; readonly among: string; readonly amongText: string };
}

/** Lists with their own addresses, by that address. */
const known = {
  contacts: {
    record: 'Contact',
    place: 'contacts',
    columns: ['Contact', 'BorrowerType', 'Address', 'City', 'State', 'ContactType', 'Status', 'UpdatedDate'],
  },
  documents: {
    record: 'Attachment',
    place: 'documents',
    columns: [
      'Attachment',
      'ObjectID',
      'AttachmentTemplateID',
      'FileName',

      'CreatedPersonID',
      'CreatedDate',
    ],
  },
  'messages/all': {
    record: 'Message',
    place: 'messages',
    columns: ['Message', 'ObjectID', 'FromName', 'Status', 'MessageTemplateID', 'CreatedPersonID', 'CreatedDate'],
  },
  'payments/all': {
    record: 'Payment',
    place: 'payments',
    columns: [
      'Payment',
      'Status',
      'Amount',
      'CapturedAmount',
      'LedgerID',
      'PaymentMethodID',
      'Purpose',
      'RequestedDate',
    ],
  },
  loans: {
    record: 'Loan',
    place: 'records',
    columns: ['Loan', 'Agency', 'PropertyID', 'ServicerLoanID', 'UPBAmount', 'LienPriorityType', 'UpdatedDate'],
  },
  properties: {
    record: 'Property',
    place: 'records',
    columns: ['Property', 'City', 'State', 'PostalCode', 'County', 'UpdatedDate'],
  },
  organizations: { record: 'Organization', place: 'contacts', columns: undefined },
  tasks: {
    record: 'ImportForm',
    place: 'work',
    columns: [
      'ImportForm',
      'Status',
      'ObjectID',
      'ProjectedCompletion',
      'EstimatedCompletion',
      'ActualCompletion',
      'AssignedCollectionID',
      'AssignedPersonID',
    ],
  },
} as const satisfies Readonly<
  Record<string, { record: RecordName; place: PlaceName; columns: readonly string[] | undefined }>
>;

/** The addresses of {@link known} lists, each with the operation without which nobody is offered it. */
export const listAddresses = Object.keys(known) as readonly (keyof typeof known)[];

/** Columns of a list of cases: those of the staff's summaries, and those that a firm sees. */
const caseColumns = [
  'CaseSummary',
  'Borrower',
  'Address',
  'Stage',
  'StageTarget',
  'Hold',
  'NextTask',
  'NextDue',
  'UPBAmount',
  'OrganizationID',
  'AssignedPersonID',
] as const;
const firmCaseColumns = ['Process', 'LoanID', 'Status', 'RecordClass', 'DateOpened', 'DateClosed', 'UpdatedDate'];

/** The address of the list of cases. */
const CASES_PATH = '/cases';

/** Returns the list of cases: summaries for staff; for a firm, which cannot see all that those show, the cases. */
export function caseSource(call: PageCall): ListSource {
  const isStaff = call.user.universal && call.may('casesummary/search');
  const record = call.platform.registry.requireRecord(isStaff ? 'CaseSummary' : 'Process', 'record');
  const shared = { record, path: CASES_PATH, title: 'Cases', place: 'cases' } as const;
  return isStaff
    ? {
        ...shared,
        columns: caseColumns,
        orderBy: 'StageTarget',
        // Closed cases are in no stage.
        orderOfAll: '-CaseSummaryID',
        totals: { sum: 'UPBAmount', among: 'Late', amongText: 'late in stage' },
      }
    : { ...shared, columns: firmCaseColumns, orderBy: '-DateOpened' };
}

/** Returns a list with its own address. */
export function knownSource(call: PageCall, address: (typeof listAddresses)[number]): ListSource {
  const { record: name, place, columns } = known[address];
  const record = call.platform.registry.requireRecord(name, 'record');
  return { record, path: `/${address}`, title: record.titlePlural, place, columns, orderBy: `-${record.idField}` };
}

/** Columns of record lists by type. Other types show the columns that have values. */
const ownColumns: Readonly<Record<string, readonly string[]>> = {
  LedgerItem: [
    'LedgerItem',
    'AmountMoney',
    'IsDebit',
    'LedgerID',
    'EffectiveDate',
    'Status',
    'PaidDate',
    'Description',
  ],
};

/** Returns the list of any record type, at the address of all its records. */
function recordSource(record: RecordType): ListSource {
  return {
    record,
    path: `/records/${record.module}`,
    title: record.titlePlural,
    place: 'records',
    columns: ownColumns[record.name],
    orderBy: `-${record.idField}`,
  };
}

/** Returns the list in which a record type is found first: its own address, or that of all its records. */
export function sourceOf(call: PageCall, record: RecordType): ListSource {
  if (record.name === 'CaseSummary' || record.name === 'Process') return caseSource(call);
  const address = listAddresses.find((each) => known[each].record === record.name);
  return address === undefined ? recordSource(record) : knownSource(call, address);
}

/**
 * Returns the list of all records of a type. Cases are listed as they are stored here: their list has only those of
 * people's work.
 */
export function allOf(call: PageCall, record: RecordType): ListSource {
  const isCase = record.name === 'Process' || record.name === 'CaseSummary';
  return isCase ? recordSource(record) : sourceOf(call, record);
}

/** The operation without which a list is not offered. */
export function searchOf(record: RecordType): OperationName {
  return `${record.module}/search` as OperationName;
}
