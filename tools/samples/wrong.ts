import { firms } from './configuration.ts';
import { documentOf, value, type Node } from './document.ts';
import { firstCase } from './plan.ts';
import { attachment, caseOf, form, message, referralItem, updateItem, type Parts } from './referral.ts';
import type { ReferralOperation } from '../../src/modules/imports/import/lib/referral-schemas.ts';

/** A sample with one fault, and how the import answers it. */
export interface WrongSample {
  readonly file: string;
  readonly bytes: Buffer;
  readonly expected: Expected;
}

/** An entry of `expected.json`. */
export interface Expected {
  readonly operation: ReferralOperation;
  readonly firm: string;
  /** `Validation Error`: nothing is saved. `Error`: the records without a fault are saved. */
  readonly status: 'Validation Error' | 'Error';
  /** Text that the answer's message contains. */
  readonly mentions: string;
  /** Line of the faulty element, of a validation error that has one. */
  readonly line?: number;
  /** The valid sample that has to be sent before. */
  readonly after?: string;
}

const firm = firms[0];
const FIRST_SAMPLE = `${firm.code}-001-judicial.xml`;

/** All of them. */
export function wrongSamples(): WrongSample[] {
  return [...orderAndPresence(), ...values(), ...beyondSchema(), ...notXml(), ...recordErrors()];
}

function orderAndPresence(): WrongSample[] {
  return [
    edited(
      'out-of-order',
      (text) => swapLines(text, 'OriginalBalance', 'UPBAmount'),
      'UPBAmount does not belong here',
      { at: 'UPBAmount' },
    ),
    edited('missing-required', (text) => withoutLine(text, 'ServicerLoanID'), 'ServicerLoanID', { at: 'LoanType' }),
    edited('missing-borrowers', (text) => text.replace(/ *<Borrowers>[\s\S]*<\/Borrowers>\n/, ''), 'Borrowers', {
      at: 'Loan',
    }),
    edited(
      'public-records-empty',
      (text) => text.replace(/( *)<Borrowers>/, '$1<PublicRecords></PublicRecords>\n$1<Borrowers>'),
      'PublicRecordItem',
      { at: 'PublicRecords' },
    ),
    edited(
      'unknown-element',
      (text) => text.replace(/( *)<LoanType>/, '$1<LoanColour>Blue</LoanColour>\n$1<LoanType>'),
      'LoanColour',
      { at: 'LoanColour' },
    ),
    edited(
      'date-closed-on-new',
      (text) =>
        text.replace(/( *)<\/ForeclosureItem>/, '$1  <DateClosed>2024-05-01</DateClosed>\n$1</ForeclosureItem>'),
      'DateClosed',
      { at: 'DateClosed' },
    ),
    edited(
      'closed-reason-on-new',
      (text) =>
        text.replace(/( *)<\/ForeclosureItem>/, '$1  <ClosedReason>Reinstated</ClosedReason>\n$1</ForeclosureItem>'),
      'ClosedReason',
      { at: 'ClosedReason' },
    ),
    edited('two-status', (text) => text.replace(/( *<Status>.*\n)/, '$1$1'), 'Status does not belong here'),
    edited(
      'namespace',
      (text) => text.replace('<ImportCollection>', '<ImportCollection xmlns="urn:example">'),
      'ImportCollection',
    ),
    edited('wrong-root', (text) => text.replaceAll('ImportCollection', 'Referrals'), 'Referrals', { at: 'Referrals' }),
    edited('no-items', () => documentOf([]), 'ForeclosureItem'),
    edited('other-operation', (text) => text, 'ForeclosureItem', { at: 'ForeclosureItem', operation: 'MFR' }),
    made('update-without-binding', [{ name: 'ForeclosureItem', children: value('Status', 'Open') }], 'SubscriberID', {
      at: 'Status',
      operation: 'ForeclosureUpdate',
    }),
  ];
}

function values(): WrongSample[] {
  const set =
    (element: string, to: string) =>
    (text: string): string =>
      text.replace(new RegExp(`<${element}>[^<]*</${element}>`), `<${element}>${to}</${element}>`);
  return [
    edited('bad-status', set('Status', 'Pending'), '"Pending"', { at: 'Status' }),
    edited('bad-process-type', set('ProcessType', 'judicial'), '"judicial"', { at: 'ProcessType' }),
    edited('bad-loan-type', set('LoanType', 'Jumbo'), '"Jumbo"', { at: 'LoanType' }),
    edited('bad-borrower-type', set('BorrowerType', 'Tertiary'), '"Tertiary"', { at: 'BorrowerType' }),
    edited('wrong-agency', set('Agency', 'Another Investor'), '"Another Investor"', { at: 'Agency' }),
    edited(
      'subscriber-id-too-long',
      set('SubscriberID', `https://cases.northgate-law.example-${'x'.repeat(220)}`),
      'at most 255',
      { at: 'SubscriberID' },
    ),
    edited('loan-too-long', set('Loan', '4000000001'), 'at most 9', { at: 'Loan', skipLines: 1 }),
    edited('attorney-case-id-too-long', set('Foreclosure', 'N'.repeat(51)), 'at most 50', { at: 'Foreclosure' }),
    edited('state-too-long', set('State', 'Ohio'), 'at most 2', { at: 'State' }),
    edited('attorney-case-id-empty', set('Foreclosure', ''), 'Foreclosure is empty', { at: 'Foreclosure' }),
    edited('postal-code', set('Property_PostalCode', '1234'), '"1234"', { at: 'Property_PostalCode' }),
    edited('ssn-too-long', set('USSSN', '900-12-34567'), '***-**-*4567', { at: 'USSSN' }),
    edited('bad-date', set('DateOpened', '03/01/2024'), '"03/01/2024"', { at: 'DateOpened' }),
    edited('impossible-date', set('DateOpened', '1980-02-30'), '"1980-02-30"', { at: 'DateOpened' }),
    edited('money-with-comma', set('UPBAmount', '1,250.00'), '"1,250.00"', { at: 'UPBAmount' }),
    edited('money-empty', set('UPBAmount', ''), 'UPBAmount is empty', { at: 'UPBAmount' }),
    edited('lien-priority', set('LienPriorityType', '3'), 'LienPriorityType is "3"', { at: 'LienPriorityType' }),
    edited('sequence-not-number', set('Sequence', 'first'), '"first"', { at: 'Sequence' }),
    edited(
      'reference-too-long',
      (text) => text.replace('<ImportCollection>', `<ImportCollection Reference="${'r'.repeat(51)}">`),
      'Reference',
      { at: 'ImportCollection' },
    ),
    edited(
      'item-reference-too-long',
      (text) => text.replace('<ForeclosureItem>', `<ForeclosureItem Reference="${'r'.repeat(51)}">`),
      'Reference',
      { at: 'ForeclosureItem' },
    ),
  ];
}

function beyondSchema(): WrongSample[] {
  const withContent = (base64: string): Parts => ({
    attachments: [attachment('Complaint', 'Complaint.pdf', 'As filed', base64)],
  });
  return [
    edited(
      'names-over-50',
      (text) =>
        text
          .replace(/<LastName>[^<]*/, `<LastName>${'Aster'.repeat(6)}`)
          .replace(/<FirstName>[^<]*/, `<FirstName>${'Bryon'.repeat(5)}`),
      'at most 50',
      { at: 'BorrowerItem' },
    ),
    edited('content-not-base64', (text) => text, 'Content', { at: 'Content', parts: withContent('***') }),
    edited('content-cut-off', (text) => text, 'Content', { at: 'Content', parts: withContent('JVBERi0xLjcKJ') }),
    edited('content-empty', (text) => text, 'Content is empty', { at: 'Content', parts: withContent('') }),
    edited(
      'ledger-not-money',
      (text) => text.replace(/<AccruedLateCharges>[^<]*/, '<AccruedLateCharges>many'),
      '"many"',
      { at: 'AccruedLateCharges', parts: { ledger: true } },
    ),
    made(
      'autobind-without-loan',
      [
        {
          name: 'ForeclosureItem',
          children: [
            { name: 'Loan', children: value('UPBAmount', '1000.00') },
            ...value('Foreclosure', firstCase(firm).caseID),
          ],
        },
      ],
      'Loan/Agency and Loan/Loan',
      { at: 'ForeclosureItem', operation: 'ForeclosureUpdate' },
    ),
  ];
}

function notXml(): WrongSample[] {
  const declaration = '<?xml version="1.0" encoding="utf-8"?>';
  return [
    edited(
      'doctype',
      (text) => text.replace(`${declaration}\n`, `${declaration}\n<!DOCTYPE ImportCollection>\n`),
      'DOCTYPE',
      { at: '!DOCTYPE' },
    ),
    edited(
      'entity-bomb',
      (text) =>
        text
          .replace(
            `${declaration}\n`,
            `${declaration}\n<!DOCTYPE ImportCollection [` +
              '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n',
          )
          .replace(/<Property_City>[^<]*/, '<Property_City>&b;'),
      'DOCTYPE',
      { at: '!DOCTYPE' },
    ),
    edited(
      'entity',
      (text) => text.replace(/<Property_City>[^<]*/, '<Property_City>Fairhollow&nbsp;'),
      'not well-formed',
      { at: 'Property_City' },
    ),
    edited('wrong-encoding', (text) => text.replace('encoding="utf-8"', 'encoding="utf-16"'), 'utf-16'),
    edited(
      'unsupported-encoding',
      (text) => text.replace('encoding="utf-8"', 'encoding="EBCDIC-CP-US"'),
      'EBCDIC-CP-US',
    ),
    bytes(
      'not-utf-8',
      (text) => Buffer.from(text.replace(/<Property_City>[^<]*/, '<Property_City>Münster'), 'latin1'),
      'UTF-8',
      { at: 'Property_City' },
    ),
    edited('malformed', (text) => text.replace('</UPBAmount>', '</UPB>'), 'UPB', { at: 'UPBAmount' }),
    edited('cut-off', (text) => text.slice(0, text.indexOf('<FirstName>')), 'not well-formed'),
    bytes('empty', () => Buffer.alloc(0), 'not well-formed'),
  ];
}

function recordErrors(): WrongSample[] {
  const first = firstCase(firm);
  const unknown = { ...first, subscriberID: `${first.subscriberID}9999` };
  return [
    edited(
      'unknown-template-nested',
      (text) => text.replace('<Template>Complaint Filed<', '<Template>Complaint Filled<'),
      'Complaint Filled',
      { status: 'Error', parts: { forms: [form('Complaint Filed', { projected: '2024-08-01' })] } },
    ),
    edited(
      'unknown-ledger-line',
      (text) => text.replaceAll('AccruedLateCharges', 'AccruedLateCharge'),
      'AccruedLateCharge',
      { status: 'Error', parts: { ledger: true } },
    ),
    edited('loan-number-not-digits', (text) => text.replace(/<Loan>[^<\n]+</, '<Loan>40A0001<'), 'Loan', {
      status: 'Error',
    }),
    made('unknown-subscriber-id', [updateItem(unknown, 'Foreclosure', { status: 'On Hold' })], 'SubscriberID', {
      operation: 'ForeclosureUpdate',
      status: 'Error',
    }),
    made('closing-without-reason', [closingWithout('ClosedReason')], 'ClosedReason', {
      operation: 'ForeclosureUpdate',
      status: 'Error',
      after: FIRST_SAMPLE,
    }),
    made('closing-without-date', [closingWithout('DateClosed')], 'DateClosed', {
      operation: 'ForeclosureUpdate',
      status: 'Error',
      after: FIRST_SAMPLE,
    }),
    made('stand-alone-object', [standAlone('Eviction', first.subscriberID)], 'Eviction', {
      operation: 'Message',
      status: 'Error',
    }),
    made('stand-alone-unknown-case', [standAlone('Foreclosure', unknown.subscriberID)], 'SubscriberID', {
      operation: 'Message',
      status: 'Error',
    }),
  ];
}

function closingWithout(missing: 'DateClosed' | 'ClosedReason'): Node {
  const whole = updateItem(firstCase(firm), 'Foreclosure', {
    status: 'Closed',
    closed: { date: '2024-09-30', reason: 'Reinstated' },
  });
  return { ...whole, children: (whole.children ?? []).filter((child) => child.name !== missing) };
}

function standAlone(object: string, subscriberID: string): Node {
  const note = message('Case Note', 'Call with the servicer', 'The servicer confirmed the figures.');
  return {
    ...note,
    children: [...value('Object', object), ...value('ObjectSubscriberID', subscriberID), ...(note.children ?? [])],
  };
}

interface Options {
  /** The element on whose line the fault is. */
  readonly at?: string;
  readonly operation?: ReferralOperation;
  readonly status?: 'Error';
  readonly parts?: Parts;
  readonly after?: string;
  /** Number of elements of the name before the faulty one. */
  readonly skipLines?: number;
}

/** Each document has a separate case, so that saved data of one does not affect another. */
let caseNumber = 60;

/** A valid referral with one change. */
function edited(what: string, change: (text: string) => string, mentions: string, options: Options = {}): WrongSample {
  return bytes(what, (text) => Buffer.from(change(text)), mentions, options);
}

function bytes(what: string, change: (text: string) => Buffer, mentions: string, options: Options = {}): WrongSample {
  const text = documentOf([
    referralItem(caseOf(firm, caseNumber++, 1), 'Foreclosure', { processType: 'Judicial', ...options.parts }),
  ]);
  return wrong(what, change(text), mentions, options);
}

function made(what: string, items: readonly Node[], mentions: string, options: Options = {}): WrongSample {
  return wrong(what, Buffer.from(documentOf(items)), mentions, options);
}

function wrong(what: string, content: Buffer, mentions: string, options: Options): WrongSample {
  const line = options.at === undefined ? undefined : faultyLine(content, options.at, options.skipLines ?? 0);
  return {
    file: `${what}.xml`,
    bytes: content,
    expected: {
      operation: options.operation ?? 'Foreclosure',
      firm: firm.code,
      status: options.status ?? 'Validation Error',
      mentions,
      ...(line === undefined ? {} : { line }),
      ...(options.after === undefined ? {} : { after: options.after }),
    },
  };
}

/** The line, from 1, of the element of a name that comes after `skipped` others of this name. */
function faultyLine(content: Buffer, element: string, skipped: number): number {
  const start = new RegExp(`<${element}[ >]`);
  const lines = content.toString('latin1').split('\n');
  const line = lines.flatMap((text, index) => (start.test(text) ? [index + 1] : []))[skipped];
  if (line === undefined) throw new Error(`There is no <${element}> in the sample.`);
  return line;
}

function swapLines(text: string, one: string, other: string): string {
  return text.replace(new RegExp(`( *<${one}>.*\\n)( *<${other}>.*\\n)`), '$2$1');
}

function withoutLine(text: string, element: string): string {
  return text.replace(new RegExp(` *<${element}>.*\\n`), '');
}
