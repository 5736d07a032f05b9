import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { hasPageImages } from './document-thumbnail.ts';
import type { FoundHit } from './page-sheets.ts';
import { isRefusedByScan, type ScannedRow } from './scan-state.ts';
import type { VersionRow } from './viewer-versions.ts';

/** A row of a document. */
export type DocumentRow = RowNamed<'Attachment'>;

/** Documents of the same record among which the next and the previous one are looked for. */
const SIBLINGS_MAX = 500;

/** Everything that the viewer shows. */
export interface ViewedDocument {
  readonly row: DocumentRow;
  readonly name: string;
  /** An earlier version that is shown instead of the present one. */
  readonly version: number | undefined;
  readonly versions: readonly VersionRow[];
  readonly find: string;
  readonly hits: readonly FoundHit[];
  /** Why the words cannot be searched. */
  readonly findError: string | undefined;
  /** Undefined if no images of its pages can be made; `failure` says why, where they should be. */
  readonly pageCount: number | undefined;
  readonly failure: string | undefined;
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/** Reads the document that the address names, with what the viewer shows of it. */
export async function readViewed(call: PageCall): Promise<ViewedDocument> {
  const id = recordIdFromPath(call);
  const find = plainText(call.query['find']).trim().slice(0, 200);
  const requested = Number(plainText(call.query['version'])) || undefined;
  const { row } = (await call.call('attachment/select', { ID: id })).answer;
  const version = requested === row.FileVersion ? undefined : requested;
  const mayRead = call.may('attachment/download');
  const [versions, found, pages, siblings] = await Promise.all([
    mayRead ? call.call('attachment/versions', { ID: id }).then(({ answer }) => answer.rows) : [],
    version === undefined ? findHits(call, id, find) : { hits: [] },
    countPages(call, row, version),
    readSiblings(call, row),
  ]);
  const at = siblings.indexOf(id);
  return {
    row,
    name: (row.Attachment ?? row.FileName ?? '') || `Document ${id}`,
    version,
    versions,
    find,
    hits: found.hits,
    findError: 'error' in found ? found.error : undefined,
    ...pages,
    previous: at > 0 ? siblings[at - 1] : undefined,
    next: at >= 0 ? siblings[at + 1] : undefined,
  };
}

async function findHits(
  call: PageCall,
  id: number,
  find: string,
): Promise<{ readonly hits: readonly FoundHit[]; readonly error?: string }> {
  if (find === '' || !call.may('attachment/findtext')) return { hits: [] };
  try {
    return { hits: (await call.call('attachment/findtext', { ID: id, FullText: find })).answer.rows };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.code !== 'BAD_PARAMETER' && !isRefusedByScan(error)) throw error;
    return { hits: [], error: error.masked().message };
  }
}

async function countPages(
  call: PageCall,
  row: DocumentRow,
  version: number | undefined,
): Promise<Pick<ViewedDocument, 'pageCount' | 'failure'>> {
  if (!hasPageImages(call, row)) return { pageCount: undefined, failure: undefined };
  try {
    const { answer } = await call.call('attachment/pagecount', {
      ID: row.AttachmentID,
      ...(version !== undefined && { Version: version }),
    });
    return { pageCount: answer.row.PageCount, failure: undefined };
  } catch (error) {
    if (!(error instanceof PlatformError) || (error.status >= 500 && !isRefusedByScan(error))) throw error;
    return { pageCount: undefined, failure: error.masked().message };
  }
}

/** Returns the documents of the same record, the newest first, as its list has them. */
async function readSiblings(call: PageCall, { Object: name, ObjectID: id }: DocumentRow): Promise<readonly number[]> {
  if (name === null || id === null || !call.may('attachment/search')) return [];
  const { answer } = await call.call('attachment/search', {
    Object: name,
    ObjectID: String(id),
    OrderBy: '-AttachmentID',
    SqlColumns: 'AttachmentID',
    DisplaySize: SIBLINGS_MAX,
    RecordCount: 'false',
  });
  return answer.rows.map(({ AttachmentID }) => AttachmentID);
}

/** Returns the content that is shown: the present one, or that of an earlier version. */
export function shownContent({ row, versions, version }: ViewedDocument): ScannedRow {
  return versions.find(({ Number: number }) => number === version) ?? row;
}

/** Returns the content if it is not served because of its malware scan. */
export function heldBackContent({ versions, version }: ViewedDocument): ScannedRow | undefined {
  return versions.find(
    ({ Number: number, Current, Served }) => !Served && (version === undefined ? Current : number === version),
  );
}
