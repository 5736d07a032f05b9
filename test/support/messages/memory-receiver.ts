import { createHash } from 'node:crypto';
import type { MailFilters, MailHead, MailInbound, MailPlace } from '../../../src/contracts/mail-inbound.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';

/** A mail of a {@link MemoryReceiver}. */
interface StoredMail {
  readonly uid: number;
  readonly receivedDate: string;
  readonly source: Buffer;
}

/** A mailbox in memory: for tests of what becomes of mail, where no server is the point. */
export class MemoryReceiver implements MailInbound {
  uidValidity = 1;
  mails: StoredMail[] = [];
  /** The mails that were settled, by UID. */
  readonly settled: string[] = [];
  /** Runs before each fetch. */
  beforeFetch: ((place: MailPlace) => Promise<void> | void) | undefined;
  /** Thrown by every method. */
  failure: PlatformError | undefined;
  private next = 1;
  private waiting: (() => void) | undefined;
  /** Whether a mail has come since the last look. */
  private hasNews = false;

  /** Puts a mail into the folder. Returns its UID. */
  add(source: string | Buffer, receivedDate = new Date().toISOString()): string {
    const uid = this.next++;
    this.mails.push({ uid, receivedDate, source: Buffer.from(source) });
    this.hasNews = true;
    this.waiting?.();
    return String(uid);
  }

  async *look({ after, since }: MailFilters): AsyncIterable<MailHead> {
    this.assertWorks();
    this.hasNews = false;
    for (const { uid, receivedDate, source } of [...this.mails]) {
      if (after && after.uidValidity === String(this.uidValidity) && uid <= Number(after.uid)) continue;
      if (since !== undefined && receivedDate < since) continue;
      const [headers = ''] = source.toString('latin1').split('\r\n\r\n');
      yield {
        ...this.place(uid),
        receivedDate,
        size: source.length,
        headerHash: createHash('sha256').update(headers).digest('hex'),
      };
    }
  }

  async *fetch(place: MailPlace): AsyncIterable<Uint8Array> {
    this.assertWorks();
    await this.beforeFetch?.(place);
    const mail = this.mails.find(({ uid }) => String(uid) === place.uid);
    if (!mail) throw new PlatformError('NOT_FOUND', { message: 'The mail is gone.' });
    for (let at = 0; at < mail.source.length; at += 65_536) yield mail.source.subarray(at, at + 65_536);
  }

  settle({ uid }: MailPlace): Promise<void> {
    if (!this.settled.includes(uid)) this.settled.push(uid);
    return Promise.resolve();
  }

  idle(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.assertWorks();
    const ended = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
    return new Promise((resolve) => {
      const end = (): void => {
        this.waiting = undefined;
        resolve();
      };
      this.waiting = end;
      ended.addEventListener('abort', end, { once: true });
      if (ended.aborted || this.hasNews) end();
    });
  }

  check(): Promise<number> {
    this.assertWorks();
    return Promise.resolve(this.mails.length);
  }

  newestHeaders(count: number): Promise<readonly Uint8Array[]> {
    return Promise.resolve(this.mails.slice(-count).map(({ source }) => source));
  }

  folders(): Promise<readonly string[]> {
    return Promise.resolve(['INBOX']);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private place(uid: number): MailPlace {
    return { folder: 'INBOX', uidValidity: String(this.uidValidity), uid: String(uid) };
  }

  private assertWorks(): void {
    if (this.failure) throw this.failure;
  }
}
