import type { Db } from '../kernel/database/store.ts';
import {
  caseKinds,
  factsOf,
  referralOperations,
  type ReferralOperation,
} from '../modules/imports/import/lib/schemas.ts';

/** A ledger template of the standard configuration; a line with `lines` has a ledger of its own below it. */
interface StandardLine {
  readonly name: string;
  readonly lines?: readonly StandardLine[];
}

const fees: StandardLine = {
  name: 'FCFeesCosts',
  lines: [{ name: 'ForeclosureFee' }, { name: 'FilingFee' }, { name: 'TitleCost' }, { name: 'PublicationCost' }],
};

const ledgers: readonly {
  readonly name: string;
  readonly appliesTo: string;
  readonly lines: readonly StandardLine[];
}[] = [
  {
    name: 'Total Debt',
    appliesTo: 'Foreclosure',
    lines: [
      { name: 'AccruedInterest' },
      { name: 'AccruedLateCharges' },
      { name: 'EscrowAdvances' },
      { name: 'PendingAdvances' },
      fees,
    ],
  },
  {
    name: 'Pre Petition Arrearages',
    appliesTo: 'Bankruptcy',
    lines: [
      { name: 'MissedPayments' },
      { name: 'AccruedLateCharges' },
      { name: 'PendingAdvances' },
      { name: 'EscrowShortage' },
      { name: 'AttorneyCosts' },
      fees,
    ],
  },
  {
    name: 'Post Petition Arrearages',
    appliesTo: 'Bankruptcy',
    lines: [
      { name: 'MissedPayments' },
      { name: 'AccruedLateCharges' },
      { name: 'PendingAdvances' },
      { name: 'EscrowShortage' },
      { name: 'AttorneyCosts' },
      fees,
    ],
  },
];

/** The templates of the operations that work off an uploaded file row by row. */
const batchTemplates = ['ScoreCalculateBatch', 'AttachmentGenerateBatch', 'MessageSendBatch'] as const;

/** Loads the configuration that every installation starts with: import templates of the referral operations, and ledgers. */
export async function loadStandardConfiguration(db: Db, now: string): Promise<void> {
  for (const name of Object.keys(referralOperations) as ReferralOperation[]) {
    const { kind } = factsOf(name);
    const appliesTo = kind === undefined ? null : caseKinds[kind].record;
    await db.query(
      `insert into importfiletemplate (importfiletemplate, status, appliesto, repeatable, extranetenabled, importengine, async, description, createddate)
       values ($1::text, 'Active', $2::text, 'Many', 'Self', 'ReferralEngine', false, $3::text, $4::timestamptz)`,
      [name, appliesTo, `Referral operation ${name}.`, now],
    );
  }
  for (const name of batchTemplates) {
    await db.query(
      `insert into importfiletemplate (importfiletemplate, status, repeatable, extranetenabled, importengine, async, importoperationsallowed, description, createddate)
       values ($1::text, 'Active', 'Many', 'Self', 'BatchReader', true, 4, $2::text, $3::timestamptz)`,
      [name, `Files of importfile/${name.toLowerCase()}: each row is a call.`, now],
    );
  }
  await db.query(
    `insert into importfiletemplate (importfiletemplate, status, repeatable, extranetenabled, importengine, async, queue, parameterstring, description, createddate)
     values ('LegacyEvents', 'Active', 'Many', 'Self', 'LegacyEventsEngine', true, 'Import', $1::text, 'Default events of law firms: 110 columns.', $2::timestamptz)`,
    [`FileNames=${encodeURIComponent('*Events*.xlsx,*Events*.csv,*Events*.txt')}`, now],
  );
  const shared = new Map<string, number>();
  for (const ledger of ledgers) await insertLedger(db, now, ledger.name, ledger.appliesTo, ledger.lines, shared);
}

async function insertLedger(
  db: Db,
  now: string,
  name: string,
  appliesTo: string,
  lines: readonly StandardLine[],
  shared: Map<string, number>,
): Promise<number> {
  const [made] = await db.query<{ id: number }>(
    `insert into ledgertemplate (ledgertemplate, status, appliesto, repeatable, extranetenabled, createddate) values ($1::text, 'Active', $2::text, 'One', 'Self', $3::timestamptz) returning ledgertemplateid as id`,
    [name, appliesTo, now],
  );
  const id = made?.id ?? 0;
  for (const [index, line] of lines.entries()) {
    const child = line.lines
      ? (shared.get(line.name) ?? (await insertLedger(db, now, line.name, 'Ledger', line.lines, shared)))
      : null;
    if (child !== null) shared.set(line.name, child);
    await db.query(
      `insert into ledgertemplateitem (ledgertemplateitem, status, ledgertemplateid, childledgertemplateid, sequence, isdebit, istotaled, canexclude, canrefresh, manualinsert, createddate)
       values ($1::text, 'Active', $2::bigint, $3::bigint, $4::integer, true, true, true, false, 1, $5::timestamptz)`,
      [line.name, id, child, index + 1, now],
    );
  }
  return id;
}
