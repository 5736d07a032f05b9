import { loggableMessage } from '../../../kernel/database/database-error.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { PARAMETER_BYTES_MAX } from '../../../kernel/parameters/body-parameters.ts';
import type { Log } from '../../../kernel/ports/log.ts';
import type { Journal } from '../../../kernel/ports/platform.ts';
import type { BodyMeter, LimitedKey, Usage, UsageSubject } from '../../../kernel/ports/usage.ts';
import type { SecurityEvent } from '../../../kernel/security/identity.ts';
import { attackerNetwork } from '../../../kernel/security/sign-in-attempts.ts';
import { Cache } from '../../../kernel/time/cache.ts';
import { waitText } from '../../../kernel/time/wait-text.ts';
import { callsPerMinuteMax, largeBodiesMax, megabytesPerDayMax } from '../person/settings.ts';
import { SharedCounter, type CounterParts } from './shared-counter.ts';

const MEGABYTE = 1_000_000;
/** A body above this many bytes is one of the large ones, of which a user may send only so many at once. */
const LARGE_BYTES = 1024 * 1024;
/**
 * Most bytes of a user's large bodies that are held in memory at once: two of the largest. Reading and parsing one
 * takes several times its size.
 */
const HELD_BYTES_MAX = 2 * PARAMETER_BYTES_MAX;
/** After how many seconds a caller should send a call again that was one body too many at once. */
const BODY_RETRY_SECONDS = 1;
const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
/** Most limits whose refusals a process remembers, so that it logs them once. */
const REPORTED_MAX = 10_000;

/** What the limits depend on. */
export interface UsageParts extends CounterParts {
  readonly settings: Settings;
  readonly journal: Journal;
  readonly log: Log;
}

/** The large bodies of a user that are being read or worked on. */
interface LargeBodies {
  count: number;
  /** Bytes of those that are held in memory. */
  heldBytes: number;
}

/** A limit that refuses. */
interface ReachedLimit {
  /** In words, such as `12000 calls a minute`. */
  readonly what: string;
  readonly message: string;
  /** How long the caller is to wait. */
  readonly seconds: number;
  /** How long further refusals are not logged. */
  readonly silentSeconds: number;
  readonly key?: LimitedKey | undefined;
}

/** Limits of users' calls, bytes and large bodies, by settings. Each process counts large bodies for itself. */
export class UsageLimits implements Usage {
  private readonly parts: UsageParts;
  private readonly calls: SharedCounter;
  private readonly bytes: SharedCounter;
  /** Large bodies by subject; those who send none have no entry. */
  private readonly largeBodies = new Map<string, LargeBodies>();
  /** Until when refusals of a subject by a limit are not logged, in milliseconds. */
  private readonly reported = new Cache<string, number>({ max: REPORTED_MAX });

  constructor(parts: UsageParts) {
    this.parts = parts;
    this.calls = new SharedCounter(parts, 'calls', MINUTE_SECONDS);
    this.bytes = new SharedCounter(parts, 'bytes', DAY_SECONDS);
  }

  countCall(subject: UsageSubject, key?: LimitedKey): Promise<void> | undefined {
    const limit = key?.callsPerMinuteMax ?? this.parts.settings.get(callsPerMinuteMax);
    if (limit <= 0) return undefined;
    const wait = this.calls.count(key ? `key ${key.id}` : nameOf(subject), 1, limit);
    if (wait === 0) return undefined;
    return this.settle(subject, wait, (seconds) => ({
      what: `${limit} calls a minute`,
      message: key
        ? `This API key is limited to ${limit} calls a minute. Try again in ${waitText(seconds)}.`
        : `${ofSubject(subject)} limited to ${limit} calls a minute (setting CallsPerMinuteMax). ` +
          `Try again in ${waitText(seconds)}.`,
      seconds,
      silentSeconds: seconds,
      key,
    }));
  }

  receive(subject: UsageSubject, bytes: number): Promise<void> | undefined {
    const megabytes = this.parts.settings.get(megabytesPerDayMax);
    if (megabytes <= 0) return undefined;
    const wait = this.bytes.count(nameOf(subject), bytes, megabytes * MEGABYTE);
    if (wait === 0) return undefined;
    return this.settle(subject, wait, (seconds) => ({
      what: `${megabytes} MB a day`,
      message:
        `${ofSubject(subject)} limited to ${megabytes} MB of data per UTC day (setting MegabytesPerDayMax). ` +
        `Try again in ${waitText(seconds)}.`,
      seconds,
      silentSeconds: seconds,
    }));
  }

  meter(subject: UsageSubject, isHeld: boolean): BodyMeter {
    let received = 0;
    const own: LargeBodies = { count: 0, heldBytes: 0 };
    return {
      receive: (bytes) => {
        received += bytes;
        const refusal = received > LARGE_BYTES ? this.countLarge(subject, own, isHeld ? received : 0) : undefined;
        return refusal ?? this.receive(subject, bytes);
      },
      end: () => this.forgetLarge(subject, own),
    };
  }

  /** Counts a large body that has grown to `heldBytes`; `own` is what it counts. Returns the refusal beyond a limit. */
  private countLarge(subject: UsageSubject, own: LargeBodies, heldBytes: number): Promise<void> | undefined {
    const limit = this.parts.settings.get(largeBodiesMax);
    if (limit <= 0) return undefined;
    const name = nameOf(subject);
    const all = this.largeBodies.get(name) ?? { count: 0, heldBytes: 0 };
    const [count, held] = [all.count - own.count + 1, all.heldBytes - own.heldBytes + heldBytes];
    if (count > limit)
      return this.refuseBody(
        subject,
        `${limit} large bodies at once`,
        `${limit} ${limit === 1 ? 'call' : 'calls'} at once with bodies of more than 1 MB (setting LargeBodiesMax)`,
      );
    if (held > HELD_BYTES_MAX) {
      const what = `${HELD_BYTES_MAX / LARGE_BYTES} MB of parameters at once`;
      return this.refuseBody(subject, what, what);
    }
    this.largeBodies.set(name, { count, heldBytes: held });
    Object.assign(own, { count: 1, heldBytes });
    return undefined;
  }

  private forgetLarge(subject: UsageSubject, own: LargeBodies): void {
    if (own.count === 0) return;
    const name = nameOf(subject);
    const all = this.largeBodies.get(name);
    if (all && all.count > 1)
      this.largeBodies.set(name, { count: all.count - 1, heldBytes: all.heldBytes - own.heldBytes });
    else this.largeBodies.delete(name);
    Object.assign(own, { count: 0, heldBytes: 0 });
  }

  private refuseBody(subject: UsageSubject, what: string, words: string): Promise<void> {
    return this.settle(subject, BODY_RETRY_SECONDS, (seconds) => ({
      what,
      message: `${ofSubject(subject)} limited to ${words}. Send it again when one of your other calls has finished.`,
      seconds,
      silentSeconds: MINUTE_SECONDS,
    }));
  }

  /** Waits for a count, and throws TOO_MANY if it refuses. */
  private async settle(
    subject: UsageSubject,
    wait: number | Promise<number>,
    limit: (seconds: number) => ReachedLimit,
  ): Promise<void> {
    const seconds = await wait;
    if (seconds === 0) return;
    const reached = limit(seconds);
    await this.report(subject, reached);
    throw new PlatformError('TOO_MANY', { message: reached.message, details: { RetryAfterSeconds: reached.seconds } });
  }

  /** Logs the first refusal of a subject by a limit, and the next one after its time. */
  private async report({ personId, address }: UsageSubject, { what, silentSeconds, key }: ReachedLimit): Promise<void> {
    const { journal, clock, log } = this.parts;
    const name = `${key ? `key ${key.id}` : nameOf({ personId, address })} ${what}`;
    const now = clock.milliseconds();
    if ((this.reported.get(name) ?? 0) > now) return;
    this.reported.set(name, now + silentSeconds * 1000);
    const event: SecurityEvent = key
      ? { event: 'KeyLimited', personId, object: 'ApiKey', objectId: key.id, address, detail: what }
      : { event: 'UsageLimited', personId, address, detail: what };
    await journal.security(event, '').catch((failure: unknown) => {
      log.error('security log unavailable', { error: loggableMessage(failure) });
    });
  }
}

function nameOf({ personId, address }: UsageSubject): string {
  return personId === 0 ? `address ${attackerNetwork(address)}` : `person ${personId}`;
}

function ofSubject({ personId }: UsageSubject): string {
  return personId === 0 ? 'Callers from this address who are not signed in are together' : 'Your account is';
}
