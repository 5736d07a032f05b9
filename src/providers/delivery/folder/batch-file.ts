import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { LetterSubmission, OutboundLetter } from '../../../contracts/delivery.ts';

/** Columns of the manifest, the same in both of its forms. */
const COLUMNS = [
  'Key',
  'File',
  'SHA256',
  'Bytes',
  'Pages',
  'MailClass',
  'Name',
  'Street',
  'City',
  'State',
  'PostalCode',
] as const;

type ManifestRow = Readonly<Record<(typeof COLUMNS)[number], string | number>>;

/**
 * Streams a submission as one zip file: the letters, named by their keys, and the manifest as JSON and CSV. One file is
 * there as a whole or not at all, so nobody can read half of a submission.
 */
export async function* batchFile(submission: LetterSubmission, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  const { key, name, date, letters } = submission;
  const rows = letters.map(manifestRow);
  const zip = new ZipFile();
  // The time of the decision, so that the same submission has the same bytes.
  const mtime = new Date(date);
  const manifest = JSON.stringify({ Submission: key, Mailing: name, Date: date, Letters: rows }, null, 2);
  zip.addBuffer(Buffer.from(`${manifest}\n`), 'manifest.json', { mtime });
  zip.addBuffer(Buffer.from(csvOf(rows)), 'manifest.csv', { mtime });
  for (const { key: letterKey, file } of letters)
    zip.addReadStreamLazy(fileNameOf(letterKey), { mtime, compress: false }, (pass) => {
      const stream = Readable.from(file.open());
      stream.once('error', (error) => (zip.outputStream as Readable).destroy(error));
      pass(null, stream);
    });
  zip.end();
  for await (const piece of zip.outputStream as Readable) {
    signal?.throwIfAborted();
    yield piece as Uint8Array;
  }
}

function fileNameOf(letterKey: string): string {
  return `${letterKey}.pdf`;
}

function manifestRow({ key, to, mailClass, pages, file, hash }: OutboundLetter): ManifestRow {
  return {
    Key: key,
    File: fileNameOf(key),
    SHA256: hash,
    Bytes: file.size,
    Pages: pages,
    MailClass: mailClass,
    Name: to.name,
    Street: to.street,
    City: to.city,
    State: to.state,
    PostalCode: to.postalCode,
  };
}

function csvOf(rows: readonly ManifestRow[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
  return [line(COLUMNS), ...rows.map((row) => line(COLUMNS.map((name) => row[name])))].join('');
}
