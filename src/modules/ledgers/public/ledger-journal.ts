/** The journal of all ledgers in the format of hledger. */
import { forEachBatch } from '../../../kernel/database/cursor.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { POSTINGS } from '../lib/postings.ts';

/** Lines read at a time. */
const BATCH_LINES = 2_000;

interface Posting {
  readonly ledgeritemid: number;
  readonly ledgerid: number;
  readonly currency: string;
  readonly label: string | null;
  readonly transactionnumber: string | null;
  readonly date: string;
  readonly amount: string;
  readonly counteramount: string;
  readonly istotaled: boolean;
  readonly counteraccount: string;
}

/**
 * Writes a transaction for each line with an amount, as they were when it began. Lines that count in the adjusted
 * balance have the tag `totaled`. Needs a transaction, and reads as the owner of the schema.
 */
export async function writeJournal(db: Db, write: (text: string) => Promise<void>): Promise<void> {
  await forEachBatch<Posting>(
    db,
    { text: `${POSTINGS} order by date, i.ledgeritemid`, values: [], size: BATCH_LINES },
    (rows) => write(rows.map(transactionText).join('')),
  );
}

function transactionText(row: Posting): string {
  const code = plain(row.transactionnumber ?? '')
    .replace(/[()]/g, ' ')
    .trim();
  const tag = row.istotaled ? ', totaled:yes' : '';
  return (
    `${row.date} * ${code === '' ? '' : `(${code}) `}${plain(row.label ?? '')}  ; line:${row.ledgeritemid}${tag}\n` +
    `    Ledgers:${row.ledgerid}  ${row.currency} ${row.amount}\n` +
    `    ${accountName(row.counteraccount)}  ${row.currency} ${row.counteramount}\n\n`
  );
}

/** Returns text without what the format gives a meaning: ends of lines, comments, and separators of payees. */
function plain(text: string): string {
  return text
    .replace(/[\p{C};|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** An account ends at two spaces, and must not look like a virtual one. */
function accountName(text: string): string {
  const name = plain(text)
    .replace(/[()[\]"*!=@{}]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/:\s*(?=:|$)/g, '')
    .trim();
  return name === '' ? 'Lines:Other' : name;
}
