/** Finding ledgers and their lines for an import. */
import type { Db } from '../../../kernel/database/store.ts';

/** Returns the newest ledger of a template below a record. */
export async function findLedger(
  db: Db,
  templateId: number,
  below: { readonly object: string; readonly id: number },
): Promise<number | undefined> {
  const [row] = await db.query<{ ledgerid: number }>(
    `select ledgerid from ledger where object = $1::text and objectid = $2::bigint and ledgertemplateid = $3::bigint
      order by ledgerid desc limit 1`,
    [below.object, below.id, templateId],
  );
  return row?.ledgerid;
}

/** A line of a ledger template. */
export interface TemplateLine {
  readonly ledgertemplateitemid: number;
  readonly ledgertemplateitem: string;
  readonly childledgertemplateid: number | null;
  readonly sequence: number | null;
  readonly manualinsert: number | null;
}

/** Whether a new ledger gets a template's line, by its ManualInsert: 0, 2 and empty do, 1 is only added by hand. */
export function isAddedToNew(manualInsert: number | null): boolean {
  return manualInsert !== 1;
}

/** Returns the lines of a ledger template. */
export function readTemplateLines(db: Db, templateId: number): Promise<readonly TemplateLine[]> {
  return db.query<TemplateLine>(
    `select ledgertemplateitemid, ledgertemplateitem, childledgertemplateid, sequence, manualinsert
      from ledgertemplateitem where ledgertemplateid = $1::bigint`,
    [templateId],
  );
}

/** A line of a ledger. */
export interface StoredLine {
  readonly id: number;
  /** The ledger below the line. */
  readonly child: number | null;
}

/** Returns the lines of a ledger by their template's line; of several, the newest. */
export async function readLedgerLines(db: Db, ledgerId: number): Promise<Map<number, StoredLine>> {
  const rows = await db.query<{ id: number; line: number; child: number | null }>(
    `select ledgeritemid as id, ledgertemplateitemid as line, childledgerid as child from ledgeritem
      where ledgerid = $1::bigint and ledgertemplateitemid is not null order by ledgeritemid`,
    [ledgerId],
  );
  return new Map(rows.map(({ id, line, child }) => [line, { id, child }]));
}
