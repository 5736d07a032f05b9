import { setTimeout as wait } from 'node:timers/promises';
import type { MailFilters, MailHead, MailInbound, MailPlace } from '../../../contracts/mail-inbound.ts';
import { headerHash, matchesFilters } from '../head-filters.ts';
import { folderRefused, reasonOf, unavailable } from '../mailbox-errors.ts';
import { reconnectMilliseconds } from '../reconnect-delay.ts';
import { HostedApiClient, type HostedApiConnection } from './hosted-api-client.ts';

/** Heads that are requested at once. */
const PAGE_HEADS = 100;
/** How often a mailbox is polled, in milliseconds. */
const POLL_MILLISECONDS = 60_000;

/** A mailbox, and the folders of it that are used. */
export interface HostedApiParts extends HostedApiConnection {
  readonly folder: string;
  readonly receivedFolder: string | undefined;
  readonly pollMilliseconds?: number;
}

/** A mail as the service describes it. */
interface ApiMail {
  readonly id: string;
  readonly receivedDate: string;
  readonly size: number;
  readonly header: Buffer;
  readonly labels: readonly string[];
}

/** Reads a mailbox through an HTTP API of a hosted mail service; docs/guides/operators/mailboxes.md describes it. */
export class HostedApiMailbox implements MailInbound {
  private readonly parts: HostedApiParts;
  private readonly client: HostedApiClient;
  private failures = 0;

  constructor(parts: HostedApiParts) {
    this.parts = parts;
    this.client = new HostedApiClient(parts);
  }

  async *look(filters: MailFilters, signal?: AbortSignal): AsyncIterable<MailHead> {
    const { folder } = this.parts;
    let after = filters.after?.folder === folder ? filters.after : undefined;
    for (let isMore = true; isMore;) {
      const page = await this.page(
        {
          limit: String(PAGE_HEADS),
          ...(filters.since === undefined ? {} : { since: filters.since }),
          ...(after === undefined ? {} : { after: after.uid, numbering: after.uidValidity }),
        },
        signal,
      );
      const { numbering, mails } = page;
      for (const mail of mails) {
        const { id: uid, receivedDate, size, header } = mail;
        const head = { folder, uidValidity: numbering, uid, receivedDate, size, headerHash: headerHash(header) };
        if (await matchesFilters(filters, mail)) yield head;
        after = head;
      }
      isMore = page.isMore && mails.length > 0;
    }
  }

  async *fetch(place: MailPlace, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    const { folder, uidValidity: numbering, uid } = place;
    const path = `messages/${encodeURIComponent(uid)}`;
    const answer = await this.client.download({ path, query: { folder, numbering }, signal });
    try {
      for await (const piece of answer as AsyncIterable<Buffer>) yield piece;
    } catch (error) {
      signal?.throwIfAborted();
      throw unavailable(reasonOf(error), error);
    } finally {
      answer.destroy();
    }
  }

  async settle(place: MailPlace): Promise<void> {
    const { receivedFolder: to } = this.parts;
    if (to === undefined || to === place.folder) return;
    const { folder, uidValidity: numbering, uid } = place;
    // 404: the mail is gone.
    await this.client.json({
      path: `messages/${encodeURIComponent(uid)}/move`,
      document: { folder, numbering, to },
    });
  }

  async idle(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { pollMilliseconds = POLL_MILLISECONDS } = this.parts;
    const time = this.failures > 0 ? reconnectMilliseconds(this.failures) : pollMilliseconds;
    await wait(Math.min(time, milliseconds), undefined, { signal }).catch(() => undefined);
  }

  async check(): Promise<number> {
    const { total } = await this.page({ limit: '1' });
    return total;
  }

  async folders(): Promise<readonly string[]> {
    const { folders } = (await this.client.json({ path: 'folders' })) ?? {};
    if (!Array.isArray(folders) || !folders.every((each) => typeof each === 'string'))
      throw unavailable('the service did not respond with a list of folders');
    return folders.sort();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async page(
    query: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<{
    readonly numbering: string;
    readonly total: number;
    readonly mails: readonly ApiMail[];
    readonly isMore: boolean;
  }> {
    const { folder } = this.parts;
    try {
      const answer = await this.client.json({ path: 'messages', query: { folder, ...query }, signal });
      if (!answer) throw folderRefused('Folder', folder, 'does not exist; it was renamed or deleted');
      const { numbering, total, messages, more } = answer;
      if (typeof numbering !== 'string' || typeof total !== 'number' || !Array.isArray(messages))
        throw unavailable('the service did not respond with a list of emails');
      this.failures = 0;
      return { numbering, total, mails: messages.map(mailOf), isMore: more === true };
    } catch (error) {
      signal?.throwIfAborted();
      this.failures++;
      throw error;
    }
  }
}

function mailOf(value: unknown): ApiMail {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const { id, received, size, header, labels } = fields;
  if (typeof id !== 'string' || !/^[\w.-]{1,100}$/.test(id))
    throw unavailable('the service returned an email without an ID');
  if (typeof received !== 'string' || Number.isNaN(Date.parse(received)) || typeof header !== 'string')
    throw unavailable(`the service returned incomplete data for mail ${id}`);
  return {
    id,
    receivedDate: new Date(received).toISOString(),
    size: typeof size === 'number' ? size : 0,
    header: Buffer.from(header, 'base64'),
    labels: Array.isArray(labels) ? labels.map(String) : [],
  };
}
