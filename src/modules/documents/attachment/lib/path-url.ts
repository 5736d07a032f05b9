import { fileNameOf, textOf } from './document-row.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { inlineHint } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { StoredDocument } from '../attachment.record.ts';

/** The default path of a document's file. */
export const DEFAULT_PATH_URL = '/{Object}/{ObjectID}/{Guid}/{Uri.FileName}';
/** Paths that only the platform chooses: of staged files, and by {@link DEFAULT_PATH_URL}. */
const PLATFORM_PATH = /^\/(?:Staged|[A-Za-z]+\/\d+\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\//;
/** Longest path that the record stores. */
const PATH_CHARACTERS_MAX = 1_000;
/** Characters that a value may not bring into a path: separators, control characters and bidirectional overrides. */
const FORBIDDEN_CHARACTERS = /[/\\\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Whether a path is one of the platform's own documents: a file there is never an arrival. */
export function isPlatformPath(path: string): boolean {
  return PLATFORM_PATH.test(path);
}

/**
 * Returns the path that a PathURL describes for a document. `{Guid}` is `guid`, `{Year}` and `{Month}` are those of the
 * day on which the document was created, `{Uri.FileName}` is its file name and `{Uri.Extension}` the part after the
 * last point; any other name is a column. A value never adds a folder. A path that ends in `/` is a folder, to which
 * the file name is appended.
 * @throws BAD_PARAMETER, naming `field`
 */
export function pathOfDocument(
  record: RecordType,
  document: StoredDocument,
  { pathUrl, guid, field }: { readonly pathUrl: string; readonly guid: string; readonly field: string },
): string {
  const fileName = fileNameOf(document);
  const { CreatedDate: created } = document;
  const fixed: Readonly<Record<string, string>> = {
    guid,
    year: created.slice(0, 4),
    month: created.slice(5, 7),
    'uri.filename': fileName,
    'uri.extension': /\.([^.]*)$/.exec(fileName)?.[1] ?? '',
    object: document.Object ?? 'Attachment',
    objectid: String(document.ObjectID ?? 0),
  };
  const filled = pathUrl.replace(/\{([^{}]*)\}/g, (_whole, name: string) =>
    toPathName(fixed[name.trim().toLowerCase()] ?? columnText(record, document, name.trim(), field)),
  );
  const path = `/${filled.endsWith('/') ? `${filled}${toPathName(fileName)}` : filled}`.replace(/\/{2,}/g, '/');
  const names = path.split('/').slice(1);
  if (
    /[{}]/.test(pathUrl.replace(/\{[^{}]*\}/g, '')) ||
    names.some((name) => name === '.' || name === '..') ||
    path.length > PATH_CHARACTERS_MAX ||
    path === '/'
  )
    throw bad(
      field,
      `a path of at most ${PATH_CHARACTERS_MAX} characters within the storage location, such as ${DEFAULT_PATH_URL}`,
    );
  return path;
}

function columnText(record: RecordType, row: Row, name: string, field: string): string {
  const column = record.columns.get(name.toLowerCase());
  if (!column || column.field.classification === 'secret')
    throw bad(
      field,
      `names of columns in its braces, found ${name.slice(0, 60)}` +
        inlineHint(
          name,
          record.shown.map((each) => each.name),
        ),
    );
  return textOf(row[column.name]);
}

/** Returns a value as one path name, or part of one. */
function toPathName(value: string): string {
  const name = value.toWellFormed().replace(FORBIDDEN_CHARACTERS, '_');
  return name === '.' || name === '..' ? '_' : name;
}
