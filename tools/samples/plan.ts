import { documentOf, parent, value, type Node } from './document.ts';
import { firms, type Firm } from './configuration.ts';
import { smallPdf, wrappedBase64 } from './pdf.ts';
import { daysAfter } from './random.ts';
import {
  attachment,
  caseOf,
  delay,
  form,
  message,
  referralItem,
  updateItem,
  type Case,
  type Parts,
} from './referral.ts';
import type { ReferralOperation } from '../../src/modules/imports/import/lib/referral-schemas.ts';

/** A sample to be written, in the order in which samples are to be sent: an update follows its referral. */
export interface Sample {
  readonly file: string;
  readonly firm: string;
  readonly operation: ReferralOperation;
  readonly text: string;
}

/** All valid samples: those of each firm, then the other operations, which one firm shows. */
export async function samplesOf(): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const firm of firms) samples.push(...referrals(firm), ...(await withAttachment(firm)), ...updates(firm));
  return [...samples, ...(await otherOperations(firms[0]))];
}

/** The case that every firm sends first, which its updates and some of the wrong samples come back to. */
export function firstCase(firm: Firm): Case {
  return caseOf(firm, 1, 1);
}

const HOLD_CASE = 8;
const SALE_CASE = 2;
const CLOSING_CASE = 6;
const AUTOBIND_CASE = 5;

// size: the list of sample referrals, one after another.
function referrals(firm: Firm): Sample[] {
  const one = (number: number, what: string, borrowers: number, parts: (subject: Case) => Parts): Sample => {
    const subject = caseOf(firm, number, borrowers);
    return sample({ firm, number, what, operation: 'Foreclosure' }, [
      referralItem(subject, 'Foreclosure', parts(subject)),
    ]);
  };
  const full = (subject: Case): Parts => ({
    processType: 'Judicial',
    ledger: true,
    publicRecords: true,
    deficiency: 'Preserved',
    openingBid: subject.upb,
    reference: `${subject.caseID}-full`,
    delays: [
      delay('Title Issue', 'An old lien is still of record.', {
        start: daysAfter(subject.opened, 4),
        projected: daysAfter(subject.opened, 40),
      }),
    ],
    forms: steps(subject),
    messages: [message('Case Note', 'Referral accepted', 'The file is complete; the title search is ordered.')],
  });
  return [
    one(1, 'judicial', 1, () => ({ processType: 'Judicial' })),
    one(SALE_CASE, 'non-judicial', 1, (subject) => ({
      processType: 'Non Judicial',
      sale: value('ScheduledSaleDate', daysAfter(subject.opened, 95)),
      openingBid: subject.upb,
    })),
    one(3, 'home-equity', 1, () => ({ processType: 'Home Equity', publicRecords: true })),
    one(4, 'co-op', 1, () => ({ processType: 'Co-op' })),
    one(AUTOBIND_CASE, 'two-borrowers', 2, () => ({ processType: 'Judicial', publicRecords: true })),
    one(CLOSING_CASE, 'three-borrowers', 3, () => ({ processType: 'Judicial' })),
    one(7, 'total-debt', 2, () => ({ processType: 'Judicial', ledger: true })),
    one(HOLD_CASE, 'on-hold', 1, (subject) => ({
      processType: 'Judicial',
      status: 'On Hold',
      delays: [
        delay('Loss Mitigation', 'A repayment plan is being reviewed.', {
          start: subject.opened,
          projected: daysAfter(subject.opened, 30),
        }),
        delay('Court Delay', 'The calendar is full.', { start: daysAfter(subject.opened, 2) }),
      ],
    })),
    one(9, 'forms', 2, (subject) => ({ processType: 'Judicial', forms: steps(subject) })),
    one(10, 'messages', 1, () => ({
      processType: 'Non Judicial',
      messages: [
        message('Case Note', 'Original note located', 'The original note is with the custodian.'),
        message(
          'Status Request',
          'Payoff figures',
          'Please send figures good through the end of the month: principal, interest & fees < 30 days old.',
        ),
      ],
    })),
    one(11, 'everything', 2, full),
    sample(
      { firm, number: 12, what: 'three-cases', operation: 'Foreclosure' },
      [30, 31, 32].map((number, at) => {
        const subject = caseOf(firm, number, 1 + (at % 2));
        return referralItem(subject, 'Foreclosure', {
          processType: at === 1 ? 'Non Judicial' : 'Judicial',
          reference: `${subject.caseID}-${at + 1}`,
          ...(at === 2 ? { forms: steps(subject) } : {}),
        });
      }),
      `${firm.providerCode}-batch-1`,
    ),
    one(13, 'no-subscriber-id', 1, () => ({ processType: 'Judicial', withoutSubscriberID: true })),
    one(14, 'redemption', 1, (subject) => ({
      processType: 'Judicial',
      deficiency: 'Waived',
      redemptionAmount: subject.upb,
      sale: [
        ...value('SaleAmount', subject.upb),
        ...value('SoldToName', 'Third Party'),
        ...value('ScheduledSaleDate', `${daysAfter(subject.opened, 60)}T10:30:00-05:00`),
        ...value('RedemptionDate', `${daysAfter(subject.opened, 240)}T00:00:00Z`),
      ],
    })),
  ];
}

function steps(subject: Case): Node[] {
  return [
    form('Referral Received', { actual: subject.opened }),
    form('Title Search Ordered', { actual: `${daysAfter(subject.opened, 2)}T09:15:00` }, [
      'Title ordered',
      'Ordered with the county; ten working days.',
    ]),
    form('Complaint Filed', { projected: daysAfter(subject.opened, 45) }),
  ];
}

async function withAttachment(firm: Firm): Promise<Sample[]> {
  if (firm.code === 'cedar-point') return [];
  const subject = caseOf(firm, 15, 1);
  const pdf = await smallPdf('Complaint', [
    `Case ${subject.caseID}`,
    `Loan ${subject.loan}`,
    'This page is a sample and has no legal effect.',
  ]);
  const payoff = await smallPdf('Payoff Letter', [
    `Loan ${subject.loan}`,
    `Amount ${subject.upb}`,
    'This page is a sample and has no legal effect.',
  ]);
  return [
    sample({ firm, number: 15, what: 'attachments', operation: 'Foreclosure' }, [
      referralItem(subject, 'Foreclosure', {
        processType: 'Judicial',
        attachments: [
          attachment('Complaint', `Complaint ${subject.caseID}.pdf`, 'Complaint as filed', wrappedBase64(pdf)),
          attachment(
            'Payoff Letter',
            `Payoff ${subject.caseID}.pdf`,
            'Figures to the day of referral',
            Buffer.from(payoff).toString('base64'),
          ),
        ],
      }),
    ]),
  ];
}

function updates(firm: Firm): Sample[] {
  const first = firstCase(firm);
  const held = caseOf(firm, HOLD_CASE, 1);
  const sold = caseOf(firm, SALE_CASE, 1);
  const closing = caseOf(firm, CLOSING_CASE, 3);
  const bound = caseOf(firm, AUTOBIND_CASE, 2);
  return [
    sample({ firm, number: 21, what: 'update-steps', operation: 'ForeclosureUpdate' }, [
      updateItem(first, 'Foreclosure', {
        reference: `${first.caseID}-u1`,
        forms: [
          form('Title Search Received', { actual: daysAfter(first.opened, 14) }),
          form('Complaint Filed', { actual: `${daysAfter(first.opened, 40)}T14:00:00-05:00` }),
          form('Service Complete', { projected: daysAfter(first.opened, 70) }),
        ],
      }),
    ]),
    sample({ firm, number: 22, what: 'update-resume', operation: 'ForeclosureUpdate' }, [
      updateItem(held, 'Foreclosure', {
        status: 'Open',
        delays: [
          delay('Loss Mitigation', 'The plan was refused.', {
            start: held.opened,
            projected: daysAfter(held.opened, 30),
            actual: daysAfter(held.opened, 28),
          }),
        ],
        messages: [message('Case Note', 'Back to active', 'The hold is over.')],
      }),
    ]),
    sample({ firm, number: 23, what: 'update-sale', operation: 'ForeclosureUpdate' }, [
      updateItem(sold, 'Foreclosure', {
        sale: [
          ...value('SaleAmount', sold.upb),
          ...value('SoldToName', 'Back to Beneficiary'),
          ...value('ScheduledSaleDate', daysAfter(sold.opened, 102)),
        ],
        forms: [form('Sale Held', { actual: daysAfter(sold.opened, 102) })],
      }),
    ]),
    sample({ firm, number: 24, what: 'update-close', operation: 'ForeclosureUpdate' }, [
      updateItem(closing, 'Foreclosure', {
        status: 'Closed',
        closed: { date: daysAfter(closing.opened, 33), reason: 'Reinstated' },
      }),
    ]),
    sample({ firm, number: 25, what: 'update-autobind', operation: 'ForeclosureUpdate' }, [
      updateItem(bound, 'Foreclosure', {
        withoutSubscriberID: true,
        ledger: true,
        forms: [form('Demand Letter Sent', { actual: daysAfter(bound.opened, 9) })],
      }),
    ]),
  ];
}

async function otherOperations(firm: Firm): Promise<Sample[]> {
  const claim = caseOf(firm, 41, 1, 'POC');
  const motion = caseOf(firm, 42, 1, 'MFR');
  const first = firstCase(firm);
  const report = await smallPdf('Title Report', [
    `Loan ${first.loan}`,
    'This page is a sample and has no legal effect.',
  ]);
  const alone = (name: string, object: string, subscriberID: string, item: Node): Node[] =>
    parent(name, [...value('Object', object), ...value('ObjectSubscriberID', subscriberID), ...(item.children ?? [])]);
  return [
    sample({ firm, number: 41, what: 'poc', operation: 'POC' }, [
      referralItem(claim, 'POC', {
        bankruptcy: true,
        forms: [form('Proof of Claim Filed', { projected: daysAfter(claim.opened, 30) })],
      }),
    ]),
    sample({ firm, number: 42, what: 'mfr', operation: 'MFR' }, [referralItem(motion, 'MFR', { bankruptcy: true })]),
    sample({ firm, number: 43, what: 'poc-update', operation: 'POCUpdate' }, [
      updateItem(claim, 'POC', { forms: [form('Proof of Claim Filed', { actual: daysAfter(claim.opened, 28) })] }),
    ]),
    sample({ firm, number: 44, what: 'mfr-update', operation: 'MFRUpdate' }, [
      updateItem(motion, 'MFR', {
        status: 'Closed',
        closed: { date: daysAfter(motion.opened, 60), reason: 'Order granted' },
        forms: [form('Order Entered', { actual: daysAfter(motion.opened, 58) })],
      }),
    ]),
    sample(
      { firm, number: 45, what: 'message', operation: 'Message' },
      alone(
        'MessageItem',
        'Foreclosure',
        first.subscriberID,
        message('Case Note', 'Call with the servicer', 'The servicer confirmed the figures.'),
      ),
    ),
    sample(
      { firm, number: 46, what: 'import-form', operation: 'ImportForm' },
      alone(
        'ImportFormItem',
        'Foreclosure',
        first.subscriberID,
        form('Judgment Entered', { projected: daysAfter(first.opened, 160) }),
      ),
    ),
    sample(
      { firm, number: 47, what: 'document', operation: 'Document' },
      alone(
        'AttachmentItem',
        'Foreclosure',
        first.subscriberID,
        attachment('Title Report', 'Title report.pdf', 'From the county', wrappedBase64(report)),
      ),
    ),
    sample(
      { firm, number: 48, what: 'bankruptcy-message', operation: 'Message' },
      alone(
        'MessageItem',
        'Bankruptcy',
        claim.subscriberID,
        message('Bankruptcy Note', 'Plan received', 'The plan is with the trustee.'),
      ),
    ),
  ];
}

interface SampleName {
  readonly firm: Firm;
  readonly number: number;
  readonly what: string;
  readonly operation: ReferralOperation;
}

function sample({ firm, number, what, operation }: SampleName, items: readonly Node[], reference?: string): Sample {
  return {
    file: `${firm.code}-${String(number).padStart(3, '0')}-${what}.xml`,
    firm: firm.code,
    operation,
    text: documentOf(items, reference),
  };
}
