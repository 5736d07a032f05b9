import { cut } from './mail-headers.ts';

/** Longest name of a file. */
const NAME_CHARACTERS_MAX = 200;

/** Names of files that have none, by type. */
const namesByType: Readonly<Record<string, string>> = {
  'message/rfc822': 'message.eml',
  'message/global': 'message.eml',
  'message/delivery-status': 'delivery-status.txt',
  'message/feedback-report': 'feedback-report.txt',
  'text/rfc822-headers': 'headers.txt',
  'text/calendar': 'invitation.ics',
  'application/ics': 'invitation.ics',
  'text/plain': 'text.txt',
  'text/html': 'text.html',
  'text/csv': 'table.csv',
  'application/pdf': 'document.pdf',
  'application/rtf': 'text.rtf',
  'application/zip': 'files.zip',
  'application/pkcs7-signature': 'smime.p7s',
  'application/pkcs7-mime': 'smime.p7m',
  'application/pgp-signature': 'signature.asc',
  'image/jpeg': 'image.jpg',
  'image/png': 'image.png',
  'image/gif': 'image.gif',
  'image/tiff': 'image.tif',
};

/**
 * Returns the name of an attached file: without folders, control characters and marks that reverse the direction of
 * text, which hide the real ending of a name. Without a name, one of its type.
 */
export function attachedFileName(name: string | null, mime: string): string {
  const plain = (name ?? '')
    .replace(/^.*[\\/]/s, '')
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029<>:"|?*]+/gu, ' ')
    .toWellFormed()
    .trim()
    .replace(/^\.+/, '')
    .trim();
  if (plain === '') return namesByType[mime] ?? 'attachment.bin';
  if (plain.length <= NAME_CHARACTERS_MAX) return plain;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  return cut(plain, NAME_CHARACTERS_MAX - ending.length) + ending;
}
