import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createTransport } from 'nodemailer';
import { assertMail, recipientsOf } from '../../../contracts/mail-validation.ts';
import type { MailOutbound, OutboundMail, RecipientOutcome } from '../../../contracts/mail-outbound.ts';
import type { SendOptions } from '../../../contracts/sending.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { composeMail } from '../compose-mail.ts';

/** Most mails kept; the oldest are removed first. */
const MAILS_KEPT_MAX = 1_000;

/**
 * Stores mail as files in a folder instead of sending it, so that an installation without a mail server works and its
 * user finds the links. A mail has one file for the same recipients, however often it is sent.
 */
export class FolderMailOutbound implements MailOutbound {
  readonly from = { address: 'casewright@localhost', name: 'Casewright' };
  private readonly folder: string;
  private readonly transporter = createTransport({ streamTransport: true, newline: 'windows' });

  constructor(folder: string) {
    this.folder = folder;
  }

  async send(mail: OutboundMail, { beforeData, signal }: SendOptions = {}): Promise<readonly RecipientOutcome[]> {
    assertMail(mail);
    const addresses = recipientsOf(mail);
    const part = join(this.folder, `.${randomUUID()}.part`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      return outcomesOfWriteFailure(addresses, error);
    }
    await beforeData?.();
    try {
      const { message } = await this.transporter.sendMail({
        ...composeMail(mail),
        headers: {
          ...mail.headers,
          'X-Envelope-To': addresses.join(', '),
          ...(mail.returnPath === undefined ? {} : { 'X-Envelope-From': mail.returnPath }),
        },
      });
      await pipeline(
        message as Readable,
        createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true }),
        signal ? { signal } : {},
      );
      await link(part, join(this.folder, fileNameOf(mail))).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
      await this.deleteOldest();
      return addresses.map((address) => ({ address, status: 'accepted', detail: null }));
    } catch (error) {
      return outcomesOfWriteFailure(addresses, error);
    } finally {
      await rm(part, { force: true });
    }
  }

  async check(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw new PlatformError('UNAVAILABLE', { message: 'The mail folder cannot be written.', cause: error });
    });
    if (!(await stat(this.folder)).isDirectory())
      throw new PlatformError('UNAVAILABLE', { message: 'The mail folder is not a folder.' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Names begin with the date, so that they sort in the order of the mails. */
  private async deleteOldest(): Promise<void> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.eml')).sort();
    for (const name of names.slice(0, Math.max(0, names.length - MAILS_KEPT_MAX)))
      await rm(join(this.folder, name), { force: true });
  }
}

/** Returns the file name of a mail: names sort in the order of the mails. To the same recipients it has one name. */
function fileNameOf(mail: OutboundMail): string {
  const { date, messageId } = mail;
  const hash = createHash('sha256')
    .update([messageId, ...recipientsOf(mail)].join('\n'))
    .digest('hex');
  return `${date.replace(/[^0-9TZ]/g, '-')}-${hash.slice(0, 16)}.eml`;
}

function outcomesOfWriteFailure(addresses: readonly string[], error: unknown): RecipientOutcome[] {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return addresses.map((address) => ({
    address,
    status: 'later',
    detail: `the mail folder could not be written: ${code}`,
  }));
}
