import { UnreadableFile, type OpenText, type TextFile } from '../../../contracts/text-reader.ts';

/** The stream that encrypted documents of today's formats have in a file of the old format. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** Refuses files of the format that Office had before 2007, which encrypted documents have, too. */
export async function openOldOffice({ bytes }: TextFile): Promise<OpenText> {
  throw new UnreadableFile(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(ENCRYPTED)
      ? 'The file is encrypted with a password.'
      : 'Text is not read from formats of Office before 2007 (.doc, .xls, .ppt, .msg).',
  );
}
