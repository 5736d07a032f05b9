/** Labels, hints and choices for the forms of ledger templates and their lines. */
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { html } from '../../../kernel/render/markup.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import { usualUnits } from '../ledgers/money.ts';
import type { PageCall } from '../page-call.ts';
import type { FieldGuidance } from '../records/record-form.ts';

/** A section of a form: its title, and its fields in order. */
export interface FormPart {
  readonly title: string;
  readonly fields: readonly string[];
}

/** The sections of a template's form. */
export const templateParts: readonly FormPart[] = [
  { title: 'Use', fields: ['AppliesTo', 'Repeatable', 'ExtranetEnabled', 'Description'] },
  {
    title: 'Calculation',
    fields: ['Currency', 'RefreshOnInsert', 'ProjectMethod', 'CalculateMethod'],
  },
  { title: 'Invoice', fields: ['InvoiceTemplateID', 'InvoiceMatrixID'] },
];

/** The sections of a template line's form. */
export const lineParts: readonly FormPart[] = [
  { title: 'Line', fields: ['LedgerTemplateItem', 'Sequence', 'IsDebit', 'IsTotaled', 'ManualInsert', 'Account'] },
  {
    title: 'Amount',
    fields: ['AmountMoney', 'Rate', 'Units', 'UnitCount', 'MatrixID', 'ChildLedgerTemplateID'],
  },
  { title: 'What users can change', fields: ['CanExclude', 'CanRefresh'] },
];

/** Returns the columns of a record's form, in the order of its parts. */
export function columnsOf(record: RecordType, parts: readonly FormPart[]): readonly Column[] {
  return parts.flatMap(({ fields }) => fields.flatMap((name) => record.columns.get(name.toLowerCase()) ?? []));
}

type Guidance = Readonly<Record<string, FieldGuidance>>;

/** Record types that usually have ledgers. */
const PARENTS = ['Foreclosure', 'Bankruptcy', 'Process', 'Loan', 'Contact', 'Ledger'] as const;

/** Columns of a line that an output of a decision table sets if it has the same name. */
const MATRIX_OUTPUTS = ['AmountMoney', 'Rate', 'UnitCount', 'Units', 'Description', 'EffectiveDate', 'IsTotaled'];

const yesNo = [
  { value: 'true', text: 'Yes' },
  { value: 'false', text: 'No' },
];

/** Returns the guidance of a template's form. `methods`: saved statements to suggest, as method signatures. */
export function templateGuidance({ platform }: PageCall, methods: readonly string[]): Guidance {
  const { registry } = platform;
  const types = PARENTS.flatMap((name) => {
    const record = registry.record(name);
    return record ? [{ value: name, text: name === 'Ledger' ? 'Ledger (details of a line)' : record.title }] : [];
  });
  return {
    AppliesTo: { hint: 'The records that ledgers are created for.', choices: types, empty: 'Any record' },
    Repeatable: { hint: 'How many ledgers from this template a record can have.' },
    ExtranetEnabled: { hint: 'Whether law firms and other partners can see the ledgers.' },
    Description: { hint: 'What the ledger is for, and when to use it.' },
    Currency: { hint: 'Three letters, such as USD. Leave it empty for the default currency.' },
    RefreshOnInsert: {
      hint: 'Yes: amounts are calculated when the ledger is created. No: when someone chooses Calculate.',
      unset: 'Not set (no)',
    },
    ProjectMethod: {
      hint: 'A call that returns the lines and their amounts in place of the lines above. Usually empty.',
      suggestions: methods.map((method) => `${method}?LedgerID={LedgerID}&GoodThrough={GoodThrough}`),
    },
    CalculateMethod: {
      hint: 'A call that returns Balance and BalanceAdjusted. Leave it empty to add up the lines.',
      suggestions: methods.map((method) => `${method}?LedgerID={LedgerID}`),
    },
    InvoiceTemplateID: {
      hint: 'The document to generate when a ledger is approved.',
      empty: 'No invoice',
    },
    InvoiceMatrixID: {
      hint: 'Use one if the document depends on the case. Its output TemplateName names the document type.',
      empty: 'None',
    },
  };
}

/** Guidance of a template line's form. */
export const lineGuidance: Guidance = {
  LedgerTemplateItem: { label: 'Name', hint: 'Shown in the ledger, such as Filing fee.' },
  Sequence: { hint: 'Position in the ledger: 1, 2, 3.' },
  IsDebit: {
    label: 'Debit or credit',
    hint: 'A debit is owed; a credit reduces what is owed.',
    choices: [
      { value: 'true', text: 'Debit' },
      { value: 'false', text: 'Credit' },
    ],
    unset: 'Not set (credit)',
  },
  IsTotaled: {
    hint: 'Whether it counts in the adjusted balance, which is the amount due.',
    choices: yesNo,
    unset: 'Not set (no)',
  },
  ManualInsert: {
    label: 'When it is added',
    hint: 'On a ledger, From template lists the lines that users can add.',
    choices: [
      { value: '0', text: 'To every new ledger' },
      { value: '2', text: 'To every new ledger; users can add more' },
      { value: '1', text: 'Only when a user adds it' },
    ],
    unset: 'Not set (to every new ledger)',
  },
  Account: { hint: 'The account in your books, such as Income:Fees. Defaults to the name of the line.' },
  AmountMoney: { hint: 'A fixed amount, which users can change in a ledger. Leave it empty if there is a rate.' },
  Rate: { hint: 'The price of one unit. The amount is the rate times the number of units.' },
  Units: {
    hint: 'What is counted. With Day, the amount grows each day from the effective date of the line.',
    suggestions: usualUnits,
  },
  UnitCount: {
    label: 'Number of units',
    hint: 'For new lines. Leave it empty for days, which are counted.',
  },
  MatrixID: {
    hint: html`Sets the line from the facts of the case, by outputs with these names:
${MATRIX_OUTPUTS.map((name, at) => html`${at > 0 && ', '}<code>${name}</code>`)}.`,
    empty: 'None',
  },
  ChildLedgerTemplateID: {
    hint: 'The amount of the line is the total of a ledger from this template.',
    empty: 'None: the line has no details',
  },
  CanExclude: { hint: 'Whether users can exclude it from the total.', choices: yesNo, unset: 'Not set (no)' },
  CanRefresh: {
    hint: 'No: once it is in a ledger, its amount is never recalculated.',
    choices: yesNo,
    unset: 'Not set (yes)',
  },
};

/** Returns the merge fields that a call of a template can use, with their labels. */
export function callFields({ platform }: PageCall): readonly { readonly name: string; readonly label: string }[] {
  const record = platform.registry.recordType('Ledger');
  const own = record.shown
    .filter(({ name, field }) => field.classification !== 'secret' && name !== 'Version')
    .map(({ name }) => ({ name, label: columnLabel(record, name) }));
  return [{ name: 'GoodThrough', label: 'Day of the projection (Projected by only)' }, ...own];
}
