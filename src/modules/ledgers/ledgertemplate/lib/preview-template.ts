/** Previews the ledger of a template: creates, calculates and reads it, then rolls back. */
import type { Context } from '../../../../kernel/door/context.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { readLedgerLines } from '../../ledger/lib/ledger-lines.ts';
import { calculateLedger } from '../../lib/save-projection.ts';
import type { Ledger } from '../../lib/stored-lines.ts';

/** Most lines that a preview returns. */
const LINES_MAX = 200;

/** The record to preview a template for, and the day through which lines are calculated. */
export interface PreviewedCase {
  readonly object: string;
  readonly objectId: number;
  readonly goodThrough: string;
}

/** A new ledger and its lines. */
export interface LedgerPreview {
  readonly ledger: Ledger;
  readonly lines: Awaited<ReturnType<typeof readLedgerLines>>;
}

/** Thrown to roll back the savepoint in which the ledger was created; carries the result. */
class PreviewEnd extends Error {
  readonly preview: LedgerPreview;

  constructor(preview: LedgerPreview) {
    super('the preview ends');
    this.preview = preview;
  }
}

/** Returns a ledger of a template for a record, calculated through a day. Nothing is stored. */
export async function previewTemplate(ctx: Context, templateId: number, of: PreviewedCase): Promise<LedgerPreview> {
  try {
    return await ctx.savepoint(async () => {
      throw new PreviewEnd(await createLedger(ctx, templateId, of));
    });
  } catch (error) {
    if (error instanceof PreviewEnd) return error.preview;
    throw error;
  }
}

async function createLedger(
  ctx: Context,
  templateId: number,
  { object, objectId, goodThrough }: PreviewedCase,
): Promise<LedgerPreview> {
  // A template that allows one ledger per record would return the existing one.
  await ctx.db.query(
    `update ledger set ledgertemplateid = null
     where object = $1::text and objectid = $2::bigint and ledgertemplateid = $3::bigint`,
    [object, objectId, templateId],
  );
  const { row } = await ctx.call('ledger/insert', {
    LedgerTemplateID: templateId,
    Object: object,
    ObjectID: objectId,
  });
  const id = row.LedgerID;
  const record = ctx.registry.recordType('Ledger');
  await calculateLedger(ctx, await readRecord(ctx.db, record, id), { projects: true, goodThrough });
  return {
    ledger: await readRecord(ctx.db, record, id),
    lines: await readLedgerLines(ctx, id, { start: 0, size: LINES_MAX }),
  };
}
