import { parent, value, type Node } from './document.ts';
import { templates, type Firm } from './configuration.ts';
import { personOf, placeOf, type Person, type SampleAddress } from './people.ts';
import { chanceOf, daysAfter, type Chance } from './random.ts';

/** A made-up loan with its case, from which a referral and its updates are written. */
export interface Case {
  readonly firm: Firm;
  readonly subscriberID: string;
  readonly caseID: string;
  readonly loan: string;
  readonly servicerLoanID: string;
  readonly place: SampleAddress;
  readonly borrowers: readonly Person[];
  readonly originalBalance: string;
  readonly upb: string;
  readonly opened: string;
  readonly chance: Chance;
}

/** Which process a case is, as its element is named. */
export type ProcessName = 'Foreclosure' | 'POC' | 'MFR';

/** Optional parts of a referral or an update. */
export interface Parts {
  readonly status?: 'Open' | 'On Hold' | 'Closed';
  readonly closed?: { readonly date: string; readonly reason: string };
  readonly processType?: string;
  readonly sale?: readonly Node[];
  readonly deficiency?: string;
  readonly redemptionAmount?: string;
  readonly ledger?: boolean;
  readonly bankruptcy?: boolean;
  readonly delays?: readonly Node[];
  readonly forms?: readonly Node[];
  readonly messages?: readonly Node[];
  readonly attachments?: readonly Node[];
  readonly openingBid?: string;
  readonly reference?: string;
  readonly publicRecords?: boolean;
  readonly withoutSubscriberID?: boolean;
}

/**
 * Returns a new case of a firm. Everything about it follows from the number, so that an update written elsewhere refers
 * to the same case.
 */
export function caseOf(firm: Firm, number: number, borrowers: number, process: ProcessName = 'Foreclosure'): Case {
  const firmNumber = firm.code.length * 1_000 + firm.code.charCodeAt(0);
  const chance = chanceOf(firmNumber * 10_000 + number);
  const original = chance.whole(90, 680) * 1_000;
  return {
    firm,
    subscriberID: `${firm.source}-${process}-${20_000 + number}`,
    caseID: `${firm.providerCode}-24-${String(number).padStart(5, '0')}`,
    loan: String(400_000_000 + (firmNumber % 97) * 1_000_000 + number * 137),
    servicerLoanID: `S${chance.whole(1_000_000, 9_999_999)}`,
    place: placeOf(chance),
    borrowers: Array.from({ length: borrowers }, () => personOf(chance)),
    originalBalance: `${original}.00`,
    upb: chance.money(Math.floor(original * 0.4), Math.floor(original * 0.97)),
    opened: daysAfter('2024-01-08', chance.whole(0, 150)),
    chance,
  };
}

/** The item of a new referral. */
export function referralItem(subject: Case, process: ProcessName, parts: Parts = {}): Node {
  return item(process, parts, [
    ...(parts.withoutSubscriberID === true ? [] : value('SubscriberID', subject.subscriberID)),
    ...parent('Loan', loanOf(subject, parts)),
    ...value(process, subject.caseID),
    ...value('DateOpened', subject.opened),
    ...value('Status', parts.status ?? 'Open'),
    ...rest(subject, parts),
  ]);
}

/** The item of an update by SubscriberID, or by loan number and Attorney Case ID. */
export function updateItem(subject: Case, process: ProcessName, parts: Parts = {}): Node {
  const loan = parent('Loan', [...value('Agency', 'INVESTOR'), ...value('Loan', subject.loan)]);
  return item(process, parts, [
    ...(parts.withoutSubscriberID === true
      ? [...loan, ...value(process, subject.caseID)]
      : value('SubscriberID', subject.subscriberID)),
    ...value('Status', parts.status),
    ...value('DateClosed', parts.closed?.date),
    ...value('ClosedReason', parts.closed?.reason),
    ...rest(subject, parts),
  ]);
}

/** A step, for `forms`. */
export function form(
  template: (typeof templates.forms)[number]['name'],
  dates: { readonly projected?: string; readonly actual?: string },
  note?: readonly [subject: string, text: string],
): Node {
  return parent('ImportFormItem', [
    ...value('Template', template),
    ...value('ProjectedCompletion', dates.projected),
    ...value('ActualCompletion', dates.actual),
    ...value('Messages_0_Message', note?.[0]),
    ...value('Messages_0_BodyText', note?.[1]),
  ])[0] as Node;
}

/** A hold, for `delays`. */
export function delay(
  template: (typeof templates.delays)[number]['name'],
  reason: string,
  dates: { readonly start: string; readonly projected?: string; readonly actual?: string },
): Node {
  return parent('DecisionDelayItem', [
    ...value('Template', template),
    ...value('ReasonDetail', reason),
    ...value('ActualStart', dates.start),
    ...value('ProjectedCompletion', dates.projected),
    ...value('ActualCompletion', dates.actual),
  ])[0] as Node;
}

/** A note, for `messages`. */
export function message(template: (typeof templates.messages)[number]['name'], subject: string, text: string): Node {
  return parent('MessageItem', [
    ...value('Template', template),
    ...value('Message', subject),
    ...value('BodyText', text),
  ])[0] as Node;
}

/** A document, for `attachments`. */
export function attachment(
  template: (typeof templates.documents)[number]['name'],
  fileName: string,
  description: string,
  base64: string,
): Node {
  return parent('AttachmentItem', [
    ...value('FileName', fileName),
    ...value('Template', template),
    ...value('Description', description),
    { name: 'Content', cdata: base64 },
  ])[0] as Node;
}

function item(process: ProcessName, parts: Parts, children: readonly Node[]): Node {
  return { name: `${process}Item`, children, ...(parts.reference === undefined ? {} : { reference: parts.reference }) };
}

function loanOf(subject: Case, parts: Parts): Node[] {
  const { place, chance } = subject;
  return [
    ...value('Agency', 'INVESTOR'),
    ...value('Loan', subject.loan),
    ...value('Property_Address', place.address),
    ...value('Property_City', place.city),
    ...value('Property_PostalCode', place.postalCode),
    ...value('ServicerLoanID', subject.servicerLoanID),
    ...value('LoanType', chance.pick(['Conventional', 'Conventional', 'FHA', 'VA', 'USDA'])),
    ...value('OriginalBalance', subject.originalBalance),
    ...value('UPBAmount', subject.upb),
    ...value('LienPriorityType', chance.whole(0, 9) === 0 ? 2 : 1),
    ...(parts.publicRecords === true
      ? parent(
          'PublicRecords',
          parent('PublicRecordItem', [
            ...value('PublicRecord', 'Mortgage Deed of Trust'),
            ...value('FilingDate', '2016-05-12'),
            ...value('RecordingDate', '2016-05-20T00:00:00'),
          ]),
        )
      : []),
    ...parent(
      'Borrowers',
      subject.borrowers.flatMap((person, at) => parent('BorrowerItem', borrower(person, at))),
    ),
  ];
}

function borrower(person: Person, at: number): Node[] {
  return [
    ...value('LastName', person.lastName),
    ...value('FirstName', person.firstName),
    ...value('BorrowerType', at === 0 ? 'Primary' : 'Secondary'),
    ...value('USSSN', person.ssn),
    ...value('Address', person.address),
    ...value('City', person.city),
    ...value('State', person.state),
    ...value('PostalCode', person.postalCode),
    ...value('Sequence', at + 1),
  ];
}

function rest(subject: Case, parts: Parts): Node[] {
  const { chance, opened } = subject;
  return [
    ...value('ProcessType', parts.processType),
    ...(parts.sale ?? []),
    ...value('DeficiencyStatus', parts.deficiency),
    ...value('RedemptionAmount', parts.redemptionAmount),
    ...(parts.ledger === true ? ledgerOf(chance, 'TotalDebtLedger') : []),
    ...(parts.bankruptcy === true
      ? [
          ...value('BKCaseNo', `24-${chance.whole(10_000, 99_999)}`),
          ...value('Chapter', chance.pick(['7', '13'])),
          ...value('Court', 'Northern District, Fairhollow Division'),
          ...value('FilingDate', daysAfter(opened, -20)),
          ...value('BarDate', daysAfter(opened, 50)),
          ...value('HearingDate', daysAfter(opened, 35)),
          ...ledgerOf(chance, 'PrePetitionArrearagesLedger'),
          ...ledgerOf(chance, 'PostPetitionArrearagesLedger'),
        ]
      : []),
    ...parent('Delays', parts.delays),
    ...parent('Forms', parts.forms),
    ...parent('Messages', parts.messages),
    ...parent('Attachments', parts.attachments),
    ...value('OpeningBidAmount', parts.openingBid),
  ];
}

interface Line {
  readonly name: string;
  readonly items?: readonly Line[];
}

/** Least and most of a line, in dollars. Lines without a range are up to 1,000. */
const amounts: Readonly<Record<string, readonly [low: number, high: number]>> = {
  'Accrued Interest': [900, 11_000],
  'Accrued Late Charges': [40, 480],
  'Escrow Advances': [600, 6_500],
  'Pending Advances': [50, 900],
  'Foreclosure Fee': [1_200, 2_400],
  'Filing Fee': [180, 450],
  'Title Cost': [250, 500],
  'Publication Cost': [150, 900],
  'Missed Payments': [2_400, 14_000],
  'Escrow Shortage': [200, 3_200],
  'Attorney Costs': [450, 1_650],
};

function ledgerOf(chance: Chance, element: (typeof templates.ledgers)[number]['element']): Node[] {
  const template = templates.ledgers.find((ledger) => ledger.element === element);
  if (!template) return [];
  const lines = (items: readonly Line[]): Node[] =>
    items.flatMap((line) => {
      const name = line.name.replaceAll(' ', '');
      if (line.items) return parent(name, parent('Items', lines(line.items)));
      return value(name, chance.money(...(amounts[line.name] ?? [20, 1_000])));
    });
  return parent(element, [...value('Template', template.name), ...parent('Items', lines(template.items))]);
}
