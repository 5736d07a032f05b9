import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import type { KeyRing } from '../../kernel/security/cipher.ts';
import type { Log } from '../../kernel/ports/log.ts';
import type { KeySource } from './key-source.ts';
import {
  HOLDER_SECONDS_MAX,
  removeHolder,
  neededKeys,
  readRotation,
  sealingKey,
  reportHolder,
} from './rotation-state.ts';

/** How often a process checks for new keys and for the key that seals. */
const REFRESH_MILLISECONDS = 1_000;
/** How often a process reports that it is alive. */
const REPORT_MILLISECONDS = 15_000;
/** Longest wait for the store when a process stops: the driver retries a lost connection forever. */
const STOP_MILLISECONDS_MAX = 3_000;

/** Keeps a process's key ring up to date. */
export interface KeyHolder {
  stop(): Promise<void>;
}

/**
 * Keeps this process's ring equal to the key file and the state in the store, until stopped.
 *
 * The process registers itself in the store before it reads which key seals, so that either the rotation waits for it
 * or it sees the rotation. A process that cannot report itself stops sealing at the time when the rotation stops
 * waiting for it.
 */
export async function holdKeys(sql: postgres.Sql, source: KeySource, ring: KeyRing, log: Log): Promise<KeyHolder> {
  const processId = randomUUID();
  let text = source.read();
  let reported = { content: '', at: -Infinity };
  let hasFailed = false;

  const report = async (): Promise<void> => {
    const holder = {
      label: `${hostname()}:${process.pid}`,
      knows: ring.ids().map((id) => id.toString('hex')),
      seals: ring.oldestInUse().toString('hex'),
    };
    const content = JSON.stringify(holder);
    const now = performance.now();
    if (content === reported.content && now - reported.at < REPORT_MILLISECONDS) return;
    await reportHolder(sql, processId, holder);
    // Counted from before the report was sent, so never longer than in the store, which counts from its arrival.
    ring.sealUntil(now + HOLDER_SECONDS_MAX * 1_000);
    reported = { content, at: now };
  };
  const refresh = async (): Promise<void> => {
    const fresh = source.read();
    const rotation = await readRotation(sql);
    const sealing = sealingKey(rotation);
    if (fresh !== text || (sealing !== undefined && ring.knows(sealing) && !sealing.equals(ring.sealing))) {
      const missing = source.missing(neededKeys(rotation));
      if (missing.length > 0)
        throw new Error(
          `${source.name} lacks the key ${missing.join(', ')}, which the store needs; the previous keys stay in use`,
        );
      ring.replace(fresh, sealing);
      text = fresh;
      log.info('reloaded the secret keys', { keys: ring.ids().length, seals: ring.sealing.toString('hex') });
    }
    await report();
  };

  await report();
  await refresh();
  let refreshing: Promise<void> | undefined;
  const timer = setInterval(() => {
    refreshing ??= refresh()
      .then(() => void (hasFailed = false))
      .catch((error: unknown) => {
        if (!hasFailed)
          log.error('could not reload the secret keys', {
            error: error instanceof Error ? error.message.slice(0, 300) : 'unknown',
          });
        hasFailed = true;
      })
      .finally(() => void (refreshing = undefined));
  }, REFRESH_MILLISECONDS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      const leaving = (refreshing ?? Promise.resolve()).then(() => removeHolder(sql, processId)).catch(() => undefined);
      await Promise.race([leaving, delay(STOP_MILLISECONDS_MAX, undefined, { ref: false })]);
    },
  };
}
