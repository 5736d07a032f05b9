import type { AnswerRowFor } from '../../../../kernel/declare/catalog.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { readCases } from './found-cases.ts';

/** A document that has a text in it. */
export interface DocumentHit {
  readonly id: number;
  readonly label: string | null;
  readonly status: string | null;
  readonly caseNumber: string | null;
  /** The piece of its text, with the hits marked. */
  readonly snippet: string | null;
  /** The page; null without pages. */
  readonly page: number | null;
}

/** Fewest characters that are searched in documents: shorter texts are still being typed. */
const CHARACTERS_MIN = 4;
/** A last word that may not be complete yet. */
const OPEN_WORD = /(?:^|\s)\p{L}{4,}$/u;

/** Returns documents with a text in them, whose last word may be the beginning of one. */
export async function documentHits(ctx: Context, text: string, size: number): Promise<readonly DocumentHit[]> {
  const may = ctx.user.permissions;
  if (text.length < CHARACTERS_MIN || !may.has('AttachmentSearch') || !may.has('AttachmentDownload')) return [];
  // Words that are complete are found in all their forms; beginnings only as they are written.
  const found = await search(ctx, text, size);
  const rows = found.length > 0 || !OPEN_WORD.test(text) ? found : await search(ctx, `${text}*`, size);
  const ofCases = rows.filter(({ Object: name }) => name === 'Foreclosure' || name === 'Bankruptcy');
  const cases = await readCases(ctx.db, {
    cases: ofCases.flatMap(({ ObjectID: id }) => (id === null ? [] : [id])),
    loans: [],
    properties: [],
  });
  return rows.map((row) => ({
    id: row.AttachmentID,
    label: row.Attachment,
    status: row.Status,
    caseNumber: cases.find((each) => each.Object === row.Object && each.ObjectID === row.ObjectID)?.CaseNumber ?? null,
    snippet: row.Snippet ?? null,
    page: row.PageNumber ?? null,
  }));
}

/** The columns that are shown, and those that a full-text search adds. */
type FoundColumns = Pick<
  AnswerRowFor<'attachment/search'>,
  'AttachmentID' | 'Attachment' | 'Status' | 'Object' | 'ObjectID' | 'Snippet' | 'PageNumber'
>;

async function search(ctx: Context, text: string, size: number): Promise<readonly FoundColumns[]> {
  try {
    const { rows } = await ctx.call('attachment/search', {
      FullText: text,
      DisplaySize: size,
      // Descriptions may be long.
      SqlColumns: ['AttachmentID', 'Attachment', 'Status', 'Object', 'ObjectID'],
    });
    return rows;
  } catch (error) {
    // What is typed may be no query, or one for too many documents: the other hits are shown.
    if (error instanceof PlatformError && error.code === 'BAD_PARAMETER') return [];
    throw error;
  }
}
