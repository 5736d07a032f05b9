import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { escapeAttribute } from '../../../../kernel/xml/element.ts';
import type { FiledRecord } from '../filing/filing.ts';
import type { NewDocument } from '../../../documents/public/save-documents.ts';
import { cutText } from './cut-text.ts';
import type { SmallMail } from './small-mails.ts';
import type { ContainedFile, MailContent, StagedContent, StagedFile, TakenMail } from './taken-mail.ts';

/** Longest name of a file. */
const NAME_CHARACTERS_MAX = 200;

/** The file name of a mail as it came. */
const RAW_FILE_NAME = 'mail.eml';

function rawName(content: Pick<MailContent, 'mail'> | undefined): string {
  const name = content?.mail.subject.trim() ?? '';
  return name === '' ? 'Mail' : cutText(name, NAME_CHARACTERS_MAX);
}

/** Returns the document of a mail as it came, below its receipt. */
export function rawDocument({ source, content }: SmallMail, receiptId: number): NewDocument {
  const name = rawName(content);
  // A sealed document shows no hash.
  return {
    object: 'MailReceipt',
    objectId: receiptId,
    name,
    fileName: RAW_FILE_NAME,
    bytes: source,
    hash: '',
    sealed: true,
  };
}

/** Returns the documents of a mail's files, below its message. */
export function fileDocumentsOf({ content }: SmallMail, messageId: number): readonly NewDocument[] {
  return (content?.files ?? []).map((one) => ({
    object: 'Message',
    objectId: messageId,
    fileName: nameOf(one.file.fileName),
    bytes: one.bytes,
    hash: one.hash,
    xmlData: markOf(one),
  }));
}

/** Stores the raw mail as a document of its receipt. Returns why it is not stored, if malware was found in it. */
export async function storeRaw(
  own: Context,
  receiptId: number,
  { raw, content }: TakenMail,
): Promise<{ readonly attachmentId?: number; readonly problem?: string }> {
  try {
    const saved = await own.savepoint(() =>
      own.call('attachment/save', {
        Object: 'MailReceipt',
        ObjectID: receiptId,
        Attachment: rawName(content),
        FileName: RAW_FILE_NAME,
        Staged: raw.token,
      }),
    );
    return { attachmentId: saved.row.AttachmentID };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'DOCUMENT_INFECTED') throw error;
    return { problem: `The raw mail is not stored. ${error.message}` };
  }
}

/**
 * Stores the files of a mail as documents of its message. One that is refused, such as for malware, is left out: a
 * document without a file says why, and the mail arrives. Returns the reasons.
 */
export async function storeFiles(
  own: Context,
  messageId: number,
  { files }: StagedContent,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const file of files) {
    const parent = { Object: 'Message', ObjectID: messageId };
    const problem = await storeFile(own, { ...parent, XmlData: markOf(file) }, file);
    if (problem === undefined) continue;
    problems.push(problem);
    const name = file.file.fileName.slice(0, NAME_CHARACTERS_MAX);
    await own.call('attachment/save', { ...parent, Attachment: name, Description: problem });
  }
  return problems;
}

/** Returns what is stored of how the mail refers to a file: `cid:…` of its HTML finds the file by it. */
function markOf({ file }: ContainedFile): string {
  const id = file.contentId === null ? '' : ` ContentID="${escapeAttribute(file.contentId)}"`;
  return `<MailFile${id} IsInline="${file.isInline}"/>`;
}

/** Stores one file; returns why it is left out, if it is. */
async function storeFile(own: Context, fields: Parameters, { file, staged }: StagedFile): Promise<string | undefined> {
  try {
    await own.savepoint(() =>
      own.call('attachment/save', { FileName: nameOf(file.fileName), Staged: staged.token }, fields),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE' || error.code === 'UNAVAILABLE')
      throw error;
    return `The file "${file.fileName.slice(0, NAME_CHARACTERS_MAX)}" was left out. ${error.message}`;
  }
}

/** Returns a file name cut to what is stored, with its extension. */
function nameOf(fileName: string): string {
  if (fileName.length <= NAME_CHARACTERS_MAX) return fileName;
  const extension = /\.[^.]{1,20}$/.exec(fileName)?.[0] ?? '';
  return cutText(fileName, NAME_CHARACTERS_MAX - extension.length) + extension;
}

/** A document type, by its ID or name. */
export interface DocumentTypeName {
  readonly AttachmentTemplateID?: number;
  readonly AttachmentTemplate?: string;
}

/** The record on which the documents of a mail are filed, and their type. */
interface FiledDocuments {
  readonly messageId: number;
  readonly record: FiledRecord;
  readonly type: DocumentTypeName;
}

/**
 * Files the documents of a mail on a record beside its message, as documents of a type: its files, or the mail itself
 * if it has none. What is filed in this way is noted, so that it moves with the message.
 */
export async function fileDocuments(
  own: Context,
  { messageId, record, type }: FiledDocuments,
  { raw, content }: TakenMail,
): Promise<void> {
  const files = (content?.files ?? []).filter(({ file }) => !file.isInline);
  const subject = content?.mail.subject.trim() ?? '';
  const all =
    files.length > 0
      ? files.map(({ file, staged }) => ({ fileName: nameOf(file.fileName), staged }))
      : [{ fileName: RAW_FILE_NAME, staged: raw }];
  for (const { fileName, staged } of all) {
    const saved = await own.call('attachment/save', {
      Object: record.object,
      ObjectID: record.objectId,
      FileName: fileName,
      Staged: staged.token,
      ...(files.length === 0 && subject !== '' ? { Attachment: subject.slice(0, NAME_CHARACTERS_MAX) } : {}),
      ...type,
    });
    await own.db.query('insert into messagefile (attachmentid, messageid) values ($1::bigint, $2::bigint)', [
      saved.row.AttachmentID,
      messageId,
    ]);
  }
}
