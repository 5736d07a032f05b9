import { setTimeout as delay } from 'node:timers/promises';
import type { Cipher } from '../../kernel/security/cipher.ts';
import type { RunningPlatform } from '../platform.ts';
import { resealFiles } from './reseal-files.ts';
import { countSealedUnder, resealBatch, sealedTables, type ResealedBatch, type SealedTable } from './sealed-tables.ts';

/** Rows resealed per transaction, by default. */
export const BATCH_ROWS = 500;
/** Longest time that rows may be locked by others before the rotation gives up. */
const HELD_SECONDS_MAX = 600;
const PAUSE_MILLISECONDS = 250;

/** All sealed values of an installation. */
export interface SealedStore {
  /** Reseals everything that one of these keys sealed. */
  reseal(keys: readonly string[]): Promise<void>;
  /** Returns the number of values that are still sealed with these keys. */
  countLeft(keys: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** Options of resealing. */
export interface ResealOptions {
  readonly rows: number;
  readonly print: (line: string) => void;
}

/**
 * Returns the sealed values of a platform's database and storage locations. Takes over `platform` and stops it when
 * closed.
 */
export function sealedStore(platform: RunningPlatform, cipher: Cipher, options: ResealOptions): SealedStore {
  const tables = sealedTables(platform.registry);
  const count = async (keys: readonly string[]): Promise<number> => {
    let left = 0;
    for (const table of tables) left += await countSealedUnder(platform.store, table, keys);
    return left;
  };
  return {
    async reseal(keys) {
      const until = performance.now() + HELD_SECONDS_MAX * 1_000;
      const damaged = new Set<string>();
      for (;;) {
        for (const table of tables)
          for (const one of await resealTable(platform, { cipher, table, keys }, options)) damaged.add(one);
        const left = await count(keys);
        if (damaged.size > 0 && left <= damaged.size)
          throw new Error(
            `${damaged.size} sealed values are damaged: their key does not open them: ` +
              `${[...damaged].slice(0, 5).join('; ')}. Everything else is sealed with the new key; the old key ` +
              'stays in use. Restore or delete these values and rotate again',
          );
        if (left === 0) break;
        if (performance.now() > until)
          throw new Error(
            `after ${HELD_SECONDS_MAX} seconds ${left} rows are still locked by other transactions. Rotate again ` +
              'when these have ended',
          );
        await delay(PAUSE_MILLISECONDS);
      }
      for (;;) {
        const { sealed, left } = await resealFiles(platform.providers, cipher, keys, (n) => {
          if (n % 100 === 0) options.print(`stored files: ${n} resealed`);
        });
        if (left.length > 0)
          throw new Error(
            `${left.length} stored files could not be resealed, so the old key stays in use: ` +
              left.slice(0, 5).join('; '),
          );
        if (sealed === 0) return;
        options.print(`stored files: ${sealed} resealed`);
      }
    },
    countLeft: count,
    close: () => platform.stop(),
  };
}

/** A table to reseal: everything in it that one of the keys sealed. */
interface TableReseal {
  readonly cipher: Cipher;
  readonly table: SealedTable;
  readonly keys: readonly string[];
}

/** Makes one pass over a table. Returns the values that their key does not open. */
async function resealTable(
  platform: RunningPlatform,
  { cipher, table, keys }: TableReseal,
  { rows, print }: ResealOptions,
): Promise<readonly string[]> {
  const total = await countSealedUnder(platform.store, table, keys);
  const damaged: string[] = [];
  let sealed = 0;
  let after: string | undefined;
  while (total > 0) {
    const began = performance.now();
    const batch = await inTransaction(platform, (db) => resealBatch(db, { cipher, table, keys, after, rows }));
    sealed += batch.sealed;
    damaged.push(...batch.damaged);
    if (batch.sealed > 0) print(`${table.name}: ${sealed} of ${total} resealed`);
    if (batch.next === undefined) break;
    after = batch.next;
    // Leave half of the time to other users.
    await delay(performance.now() - began);
  }
  return damaged;
}

function inTransaction(
  platform: RunningPlatform,
  run: (db: Parameters<typeof resealBatch>[0]) => Promise<ResealedBatch>,
): Promise<ResealedBatch> {
  return platform.store.transaction(
    { personId: null, firm: null, callId: 'rotation of the secret key' },
    async (db) => {
      // Resealing a number is no change of its record; see its history trigger.
      await db.query("select set_config('casewright.reseal', 'on', true)");
      return run(db);
    },
  );
}
