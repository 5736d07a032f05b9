import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { MAIL_INBOUND } from '../../../../contracts/mail-inbound.ts';
import { loggableMessage } from '../../../../kernel/database/database-error.ts';
import { extendLeaseDuring } from '../../../../kernel/database/lease.ts';
import type { ListAnswer } from '../../../../kernel/door/answer.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { invoke } from '../../../../kernel/door/invoke.ts';
import { parseRoute } from '../../../../kernel/door/route.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { claimMailbox, extendMailbox, releaseMailbox, type MailboxClaim } from './mailbox-lease.ts';
import { activeMailboxes, recordWatching, type Mailbox } from './mailboxes.ts';

/** Times of a watch, in milliseconds. */
export interface WatchTimes {
  /** How often active mailboxes are looked for that nobody watches. */
  readonly scan: number;
  /** How often a mailbox is read, whatever its server reports. */
  readonly poll: number;
  /** Least time between two reads of a mailbox. */
  readonly pace: number;
  /** The first wait after a failure; it doubles with each further one. */
  readonly retry: number;
  /** How long a process is presumed to watch a mailbox without a sign of life. */
  readonly lease: number;
}

const defaultTimes: WatchTimes = { scan: 10_000, poll: 5 * 60_000, pace: 500, retry: 15_000, lease: 60_000 };

/** Longest wait after failures, in milliseconds. */
const RETRY_MAX = 15 * 60_000;
/** Reads after which the whole folder is compared, not only what is new: a server may renumber its mails. */
const READS_PER_COMPARISON = 12;

/** A watched mailbox. */
interface Watch {
  readonly mailbox: Mailbox;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Receives the mail of all active mailboxes while a process runs jobs: as soon as a server reports new mail, and every
 * few minutes anyway. Of several processes, one watches a mailbox at a time; when it ends, another one takes over.
 */
export function startMailboxWatch(platform: Platform, times: WatchTimes = defaultTimes): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const watches = new Map<number, Watch>();
  const scan = async (): Promise<void> => {
    await platform.settings.fresh();
    const mailboxes = await activeMailboxes(platform.store);
    // A changed mailbox is watched anew: under its new name, and without the wait after failures of its old settings.
    for (const { mailbox, abort } of watches.values())
      if (!mailboxes.some(({ id, version }) => id === mailbox.id && version === mailbox.version)) abort.abort();
    for (const mailbox of mailboxes) {
      if (stopped.signal.aborted || watches.has(mailbox.id)) continue;
      const claim = await claimMailbox(platform, mailbox.id, times.lease / 1_000);
      if (claim)
        watches.set(
          mailbox.id,
          startWatch(platform, times, { mailbox, claim }, () => watches.delete(mailbox.id)),
        );
    }
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await scan().catch((error: unknown) => {
        platform.log.warn('mailboxes cannot be watched', { error: loggableMessage(error) });
      });
      await wait(times.scan, stopped.signal);
    }
    for (const { abort } of watches.values()) abort.abort();
    await Promise.all([...watches.values()].map(({ ended }) => ended));
  };
  const running = run();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}

function startWatch(
  platform: Platform,
  times: WatchTimes,
  { mailbox, claim }: { readonly mailbox: Mailbox; readonly claim: MailboxClaim },
  onEnd: () => void,
): Watch {
  const abort = new AbortController();
  const extend = (): void => {
    extendMailbox(platform, claim, times.lease / 1_000).then(
      (isHeld) => {
        if (!isHeld) abort.abort();
      },
      // It may still be extended the next time.
      () => undefined,
    );
  };
  const end = async (): Promise<void> => {
    try {
      await recordWatching(platform.store, mailbox, false);
      await releaseMailbox(platform, claim);
    } catch (error) {
      platform.log.warn('a mailbox was not released', { error: loggableMessage(error) });
    }
    onEnd();
  };
  const ended = extendLeaseDuring(times.lease / 1_000, extend, () => watch(platform, times, mailbox, abort.signal));
  return { mailbox, abort, ended: ended.then(end, end) };
}

/** Receives the mail of one mailbox until it is stopped. */
async function watch(platform: Platform, times: WatchTimes, mailbox: Mailbox, signal: AbortSignal): Promise<void> {
  let failures = 0;
  for (let read = 0; !signal.aborted; read++) {
    const began = performance.now();
    const outcome = await receive(platform, mailbox, read % READS_PER_COMPARISON !== 0);
    if (outcome.isFailed) {
      const delay = Math.min(times.retry * 2 ** failures++, RETRY_MAX);
      await wait((delay * randomInt(75, 126)) / 100, signal);
      continue;
    }
    failures = 0;
    if (outcome.behind > 0) continue;
    await recordWatching(platform.store, mailbox, true);
    await idle(platform, mailbox, times.poll, signal);
    await wait(times.pace - (performance.now() - began), signal);
  }
}

/** Waits until the server reports new mail, or for the time of a poll. */
async function idle(platform: Platform, { name }: Mailbox, milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await platform.providers.get(MAIL_INBOUND, name).idle(milliseconds, signal);
  } catch (error) {
    platform.log.info('waiting for mail failed', { mailbox: name, error: loggableMessage(error) });
    await wait(milliseconds, signal);
  }
}

/** Calls `message/receive` for a mailbox as the user System. */
async function receive(
  platform: Platform,
  { name }: Mailbox,
  isLatest: boolean,
): Promise<{ readonly isFailed: boolean; readonly behind: number }> {
  try {
    const personId = await platform.identity.builtinPersonId(platform.configuration, 'System');
    if (personId === undefined) return { isFailed: true, behind: 0 };
    const { answer } = await invoke(platform, {
      route: parseRoute(platform.registry, ['message', 'receive'], 'POST'),
      parameters: { Account: [name], MailLibLatest: isLatest },
      principal: await platform.identity.ofPerson(personId),
      address: 'mailbox',
      surface: 'queue',
      correlationId: randomUUID(),
    });
    const [row] = (answer as ListAnswer<{ readonly Behind: number | null }>).rows;
    return { isFailed: false, behind: row?.Behind ?? 0 };
  } catch (error) {
    // The mailbox's state says why; only what nobody foresaw is logged as well.
    if (!(error instanceof PlatformError)) platform.log.error('receiving failed', { error: loggableMessage(error) });
    return { isFailed: true, behind: 0 };
  }
}

/** Waits for a time or until it is stopped. */
async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0 && !signal.aborted) await pause(milliseconds, undefined, { signal }).catch(() => undefined);
}
