import PostalMime, { type Address } from 'postal-mime';
import { UnreadableFile, type OpenText, type TextFile } from '../../../contracts/text-reader.ts';
import { htmlText } from './html-text.ts';
import { sectionsOf } from './sections.ts';

/** Deepest nesting of a mail's parts. */
const NESTING_MAX = 50;
/** Most bytes of headers. */
const HEADER_BYTES_MAX = 2 * 1024 * 1024;

/** Opens a mail: subject, people, date, text, and the names of attached files. */
export async function openMail({ bytes }: TextFile): Promise<OpenText> {
  let mail;
  try {
    mail = await PostalMime.parse(bytes, { maxNestingDepth: NESTING_MAX, maxHeadersSize: HEADER_BYTES_MAX });
  } catch {
    throw new UnreadableFile('The mail is damaged, or nested too deeply.');
  }
  const body = mail.text?.trim() ? mail.text : htmlText(mail.html ?? '');
  const names = mail.attachments.map(({ filename }) => filename ?? '').filter((name) => name !== '');
  const lines = [
    mail.subject,
    people('From', mail.from ? [mail.from] : []),
    people('To', mail.to ?? []),
    people('Cc', mail.cc ?? []),
    mail.date === undefined ? '' : `Date: ${mail.date}`,
    names.length > 0 ? `Attached: ${names.join(', ')}` : '',
  ].filter((line) => line !== undefined && line !== '');
  return sectionsOf(`${lines.join('\n')}\n\n${body}`);
}

function people(role: string, addresses: readonly Address[]): string {
  const all = addresses.flatMap((address): { name: string; address?: string }[] => address.group ?? [address]);
  return all.length === 0
    ? ''
    : `${role}: ${all.map(({ name, address = '' }) => `${name} ${address}`.trim()).join(', ')}`;
}
