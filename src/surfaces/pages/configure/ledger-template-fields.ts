/** What the forms of ledger templates and their lines say about each field, in plain words. */
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { html } from '../../../kernel/render/markup.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import type { PageCall } from '../page-call.ts';
import type { FieldGuidance } from '../records/record-form.ts';

/** The form of a part of a record: a title and its fields in order. */
export interface FormPart {
  readonly title: string;
  readonly fields: readonly string[];
}

/** The parts of a template's form. */
export const templateParts: readonly FormPart[] = [
  { title: 'Use', fields: ['AppliesTo', 'Repeatable', 'ExtranetEnabled', 'Description'] },
  {
    title: 'Calculation',
    fields: ['Currency', 'RefreshOnInsert', 'ProjectMethod', 'CalculateMethod'],
  },
  { title: 'Invoice', fields: ['InvoiceTemplateID', 'InvoiceMatrixID'] },
];

/** The parts of a template line's form. */
export const lineParts: readonly FormPart[] = [
  { title: 'Line', fields: ['LedgerTemplateItem', 'Sequence', 'IsDebit', 'IsTotaled', 'ManualInsert', 'Account'] },
  {
    title: 'Amount',
    fields: ['AmountMoney', 'Rate', 'Units', 'UnitCount', 'MatrixID', 'ChildLedgerTemplateID'],
  },
  { title: 'What users may do', fields: ['CanExclude', 'CanRefresh'] },
];

/** Returns the columns of a record's form, in the order of its parts. */
export function columnsOf(record: RecordType, parts: readonly FormPart[]): readonly Column[] {
  return parts.flatMap(({ fields }) => fields.flatMap((name) => record.columns.get(name.toLowerCase()) ?? []));
}

type Guidance = Readonly<Record<string, FieldGuidance>>;

/** Record types that usually have ledgers. */
const PARENTS = ['Foreclosure', 'Bankruptcy', 'Process', 'Loan', 'Contact', 'Ledger'] as const;

/** Columns of a line that the outputs of a decision table set, by their names. */
const MATRIX_OUTPUTS = ['AmountMoney', 'Rate', 'UnitCount', 'Units', 'Description', 'EffectiveDate', 'IsTotaled'];

const yesNo = [
  { value: 'true', text: 'Yes' },
  { value: 'false', text: 'No' },
];

/** Returns what the form of a template says. `methods`: saved statements, as calls. */
export function templateGuidance({ platform }: PageCall, methods: readonly string[]): Guidance {
  const { registry } = platform;
  const types = PARENTS.flatMap((name) => {
    const record = registry.record(name);
    return record ? [{ value: name, text: name === 'Ledger' ? 'Ledger: for lines with details' : record.title }] : [];
  });
  return {
    AppliesTo: { hint: 'What gets ledgers of this template.', choices: types, empty: 'Any record' },
    Repeatable: { hint: 'How many ledgers of this template one record can have.' },
    ExtranetEnabled: { hint: 'Whether law firms and other partners see the ledgers.' },
    Description: { hint: 'For your colleagues: what the ledger is for.' },
    Currency: { hint: 'Three letters, such as USD. Empty: the currency of the settings.' },
    RefreshOnInsert: {
      hint: 'Yes: amounts are calculated as soon as the ledger is created. No: when somebody calculates it.',
    },
    ProjectMethod: {
      hint: 'The call that returns the lines and their amounts, instead of the lines below. Usually empty.',
      suggestions: methods.map((method) => `${method}?LedgerID={LedgerID}&GoodThrough={GoodThrough}`),
    },
    CalculateMethod: {
      hint: 'The call that returns Balance and BalanceAdjusted. Empty: the sum of the lines.',
      suggestions: methods.map((method) => `${method}?LedgerID={LedgerID}`),
    },
    InvoiceTemplateID: {
      hint: 'The document that is generated when the ledger is approved.',
      empty: 'No invoice',
    },
    InvoiceMatrixID: {
      hint: 'Its output TemplateName names the invoice, if the document depends on the case.',
      empty: 'The document type above',
    },
  };
}

/** What the form of a template line says. */
export const lineGuidance: Guidance = {
  LedgerTemplateItem: { label: 'Name', hint: 'What people read in the ledger, such as Filing fee.' },
  Sequence: { hint: 'Lines are sorted by this number: 1, 2, 3.' },
  IsDebit: {
    label: 'Debit or credit',
    hint: 'A debit is owed; a credit reduces what is owed.',
    choices: [
      { value: 'true', text: 'Debit' },
      { value: 'false', text: 'Credit' },
    ],
    empty: 'Credit, unless the line says otherwise',
  },
  IsTotaled: {
    hint: 'Whether it counts in the adjusted balance, which is what people pay.',
    choices: yesNo,
    empty: 'No, unless the line says otherwise',
  },
  ManualInsert: {
    label: 'How it gets into a ledger',
    hint: 'Users add the lines that are not there from the start with From template.',
    choices: [
      { value: '0', text: 'In every new ledger' },
      { value: '2', text: 'In every new ledger, and again by hand' },
      { value: '1', text: 'Only by hand' },
    ],
    empty: 'In every new ledger (not decided)',
  },
  Account: { hint: 'For bookkeeping, such as Income:Fees. Empty: the name of the line.' },
  AmountMoney: { hint: 'A fixed amount. Users can change it in a ledger. With a rate, leave it empty.' },
  Rate: { hint: 'The price of one unit: the amount is the rate times the units.' },
  Units: {
    hint: 'What is counted. Day: the line grows each day from its date to the day of the projection.',
    suggestions: ['Day', 'Hour', 'Month', 'Page', 'Mile'],
  },
  UnitCount: {
    label: 'Number of units',
    hint: 'How many units a new line has. For days leave it empty: they are counted.',
  },
  MatrixID: {
    hint: html`Decides the line by the case. Outputs with these names set the line:
${MATRIX_OUTPUTS.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}.`,
    empty: 'None',
  },
  ChildLedgerTemplateID: {
    hint: 'The line is the total of a ledger of this template, which holds the details.',
    empty: 'None: the line has no details',
  },
  CanExclude: { hint: 'Yes: users can take it out of the total of a ledger.', choices: yesNo, empty: 'No' },
  CanRefresh: {
    hint: 'No: a calculation never changes its amount once it is in a ledger.',
    choices: yesNo,
    empty: 'Yes',
  },
};

/** Returns what a call of a template may name in braces, with its label. */
export function callFields({ platform }: PageCall): readonly { readonly name: string; readonly label: string }[] {
  const record = platform.registry.recordType('Ledger');
  const own = record.shown
    .filter(({ name, field }) => field.classification !== 'secret' && name !== 'Version')
    .map(({ name }) => ({ name, label: columnLabel(record, name) }));
  return [{ name: 'GoodThrough', label: 'Day of the projection (only of Projected by)' }, ...own];
}
