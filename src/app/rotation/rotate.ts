import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import { KeyRing, keysOf, newKey } from '../../kernel/security/cipher.ts';
import type { Connection } from '../../kernel/database/store.ts';
import { logWithoutUser } from '../../modules/access/securitylog/lib/log-without-user.ts';
import { startConnection } from '../start-connection.ts';
import { writeKeyFile, type KeySource } from './key-source.ts';
import type { SealedStore } from './reseal.ts';
import {
  announceRotation,
  enterPhase,
  HOLDER_SECONDS_MAX,
  readHolders,
  neededKeys,
  readRotation,
  type HolderStatus,
  type Rotation,
} from './rotation-state.ts';

/** Advisory lock that allows one rotation at a time. The number is arbitrary, but the same in all processes. */
const LOCK = 7_322_098;
/** Longest wait until all processes know the new key: longer than a dead process stays on the list. */
const KNOWN_SECONDS_MAX = HOLDER_SECONDS_MAX + 15;
/** Longest wait for work that began under the old key: files being written, transactions. */
const WORKS_SECONDS_MAX = 900;
const POLL_MILLISECONDS = 250;

/** Parameters of a rotation. */
export interface RotationParts {
  readonly connection: Connection;
  readonly source: KeySource;
  /** Whether no other process can be using the store: processes that are still listed are gone. */
  readonly isExclusive: boolean;
  /** Opens the sealed values, with the ring in which the new key seals. */
  readonly openSealedStore: (ring: KeyRing) => Promise<SealedStore>;
  readonly print: (line: string) => void;
  readonly now: () => string;
}

/**
 * Rotates the installation to a new key while it serves, or resumes an interrupted rotation. It may be killed and
 * started again at any moment.
 *
 * 1. announced: the new key is added to the ring. Nothing seals with it until every process knows it.
 * 2. sealing: every process seals with it. Once all work that began under the old keys has ended, their values are
 *    resealed.
 * 3. resealed: nothing is sealed with the old keys any more. They are moved to a separate file next to the key file,
 *    because older backups need them.
 */
export async function rotate(parts: RotationParts): Promise<void> {
  const sql = startConnection(parts.connection, { name: 'casewright rotation' });
  try {
    const [lock] = await sql.unsafe<{ free: boolean }[]>(`select pg_try_advisory_lock(${LOCK}) as free`);
    if (lock?.free !== true)
      throw new Error('another rotation of this store is running. Nothing was changed; wait until it ends.');
    if (parts.isExclusive) await sql.unsafe('delete from secretkeyholder');
    const rotation = await begin(sql, parts);
    if (rotation.phase === 'announced') await startSealing(sql, parts, rotation);
    if (rotation.phase !== 'resealed') await sealAll(sql, parts, rotation);
    await retire(sql, parts, rotation);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Returns the interrupted rotation, or a new one. */
async function begin(sql: postgres.Sql, parts: RotationParts): Promise<Rotation> {
  const { source, print } = parts;
  const known = await readRotation(sql);
  if (
    known &&
    (known.phase === 'sealing' ||
      known.phase === 'resealed' ||
      (known.phase === 'announced' && source.missing([known.newKey]).length === 0))
  ) {
    const missing = source.missing(neededKeys(known));
    if (missing.length > 0)
      throw new Error(
        `${source.name} lacks the key ${missing.join(', ')}, which the interrupted rotation needs. ` +
          'Nothing was changed; add the key again on a separate line.',
      );
    print(`resuming the rotation to key ${known.newKey} (phase: ${known.phase})`);
    return known;
  }
  const keys = keysOf(source.read());
  const ids = keys.map((key) => key.id.toString('hex'));
  const last = known?.phase === 'announced' ? known.currentKey : known?.newKey;
  const currentKey = last !== undefined && ids.includes(last) ? last : ids[0];
  if (currentKey === undefined) throw new Error(`${source.name} contains no key`);
  return source.file === undefined
    ? beginWithGiven(sql, parts, ids, currentKey)
    : beginWithNew(sql, parts, source.file, { keys, currentKey });
}

/**
 * Announces the new key in the store before adding it to the file: a key in the file that the store does not know would
 * count as an old one.
 */
async function beginWithNew(
  sql: postgres.Sql,
  { print }: RotationParts,
  file: string,
  { keys, currentKey }: { readonly keys: ReturnType<typeof keysOf>; readonly currentKey: string },
): Promise<Rotation> {
  const text = newKey();
  const id = keysOf(text)[0]?.id.toString('hex') ?? '';
  const rotation: Rotation = {
    phase: 'announced',
    newKey: id,
    currentKey,
    oldKeys: keys.map((key) => key.id.toString('hex')),
  };
  await announceRotation(sql, rotation);
  writeKeyFile(file, [...keys.map((key) => key.text), text]);
  await logSecurityEvent(sql, 'SecretKeyAnnounced', `key ${id}`);
  print(`added the new key ${id} to ${file}; keep a copy of this file apart from the data`);
  return rotation;
}

async function beginWithGiven(
  sql: postgres.Sql,
  parts: RotationParts,
  ids: readonly string[],
  currentKey: string,
): Promise<Rotation> {
  const id = ids.at(-1) ?? '';
  if (ids.length < 2 || id === currentKey)
    throw new Error(
      `${parts.source.name} contains no new key: its last key, ${id}, is already in use. Append a new key after a ` +
        'comma (openssl rand -base64 32 generates one), restart every process with this value, and rotate again ' +
        'with the same value.',
    );
  const rotation: Rotation = { phase: 'announced', newKey: id, currentKey, oldKeys: ids.filter((one) => one !== id) };
  await announceRotation(sql, rotation);
  await logSecurityEvent(sql, 'SecretKeyAnnounced', `key ${id}`);
  parts.print(`rotating to key ${id}, the last one in ${parts.source.name}`);
  return rotation;
}

async function startSealing(sql: postgres.Sql, parts: RotationParts, rotation: Rotation): Promise<void> {
  await waitForHolders(sql, parts, KNOWN_SECONDS_MAX, {
    lagging: (holder) => !holder.knows.includes(rotation.newKey),
    waits: 'waiting until every process knows the new key',
    problem: 'do not know the new key',
    remedy:
      'Nothing is sealed with it yet. Add it to the key file, or to CASEWRIGHT_SECRET_KEY, of each process and ' +
      'rotate again',
  });
  await enterPhase(sql, rotation.newKey, 'sealing');
  await logSecurityEvent(sql, 'SecretKeySeals', `key ${rotation.newKey}`);
}

async function sealAll(sql: postgres.Sql, parts: RotationParts, rotation: Rotation): Promise<void> {
  await waitForHolders(sql, parts, WORKS_SECONDS_MAX, {
    lagging: (holder) => holder.seals !== rotation.newKey,
    waits: 'waiting until every process seals with the new key and has finished the files that it began before',
    problem: 'still seal with the old key, or are writing a file that they began with it',
    remedy: 'Restart them and rotate again',
  });
  await waitForTransactions(sql, parts);
  parts.print(`every process seals with key ${rotation.newKey}`);
  const ring = new KeyRing(parts.source.read(), Buffer.from(rotation.newKey, 'hex'));
  const places = await parts.openSealedStore(ring);
  try {
    const keys = rotation.oldKeys;
    for (;;) {
      await places.reseal(keys);
      // A value read from an old row in an open transaction, and not yet written, would be missed.
      await waitForTransactions(sql, parts);
      if ((await places.countLeft(keys)) === 0) break;
    }
  } finally {
    await places.close();
  }
  await enterPhase(sql, rotation.newKey, 'resealed');
}

/** Moves the old keys from the key file into another file next to it: earlier backups are sealed with them. */
async function retire(sql: postgres.Sql, parts: RotationParts, rotation: Rotation): Promise<void> {
  const { source, print } = parts;
  if (source.file === undefined) {
    print(
      'the old keys are no longer needed: remove them from CASEWRIGHT_SECRET_KEY when you next restart each ' +
        'process. Keep them for backups taken before this rotation',
    );
  } else {
    const keys = keysOf(source.read());
    const old = keys.filter((key) => key.id.toString('hex') !== rotation.newKey).map((key) => key.text);
    if (old.length > 0) {
      const retiredFile = `${source.file}.retired-${parts.now().slice(0, 10)}-${rotation.newKey}`;
      writeKeyFile(retiredFile, old);
      writeKeyFile(
        source.file,
        keys.map((key) => key.text).filter((text) => !old.includes(text)),
      );
      print(
        `the old keys are no longer needed and were moved to ${retiredFile}. Backups taken before this rotation ` +
          'need them: store this file with your keys, and delete it when no such backup is left',
      );
    }
  }
  await logSecurityEvent(sql, 'SecretKeyRetired', `now key ${rotation.newKey}`);
  await enterPhase(sql, rotation.newKey, 'done');
  print(`done: everything is sealed with key ${rotation.newKey}`);
}

function logSecurityEvent(sql: postgres.Sql, event: string, detail: string): Promise<void> {
  return logWithoutUser((text, values) => sql.unsafe(text, values), { event, object: 'SecretKey', detail });
}

async function waitForHolders(
  sql: postgres.Sql,
  parts: RotationParts,
  secondsMax: number,
  of: { lagging: (holder: HolderStatus) => boolean; waits: string; problem: string; remedy: string },
): Promise<void> {
  const until = performance.now() + secondsMax * 1_000;
  let printed = '';
  for (;;) {
    const names = (await readHolders(sql))
      .filter(of.lagging)
      .map((holder) => holder.label)
      .join(', ');
    if (names === '') return;
    if (performance.now() > until)
      throw new Error(`after ${secondsMax} seconds these processes (host:pid) ${of.problem}: ${names}. ${of.remedy}`);
    if (names !== printed) parts.print(`${of.waits}: ${names}`);
    printed = names;
    await delay(POLL_MILLISECONDS);
  }
}

/**
 * Waits until all current transactions have ended: one that began before all processes switched keys may still write a
 * value that it sealed with an old key.
 */
async function waitForTransactions(sql: postgres.Sql, parts: RotationParts): Promise<void> {
  const [now] = await sql.unsafe<{ at: string }[]>('select clock_timestamp()::text as at');
  const until = performance.now() + WORKS_SECONDS_MAX * 1_000;
  for (let polls = 0; ; polls++) {
    const [row] = await sql.unsafe<{ n: number }[]>(
      `select count(*)::integer as n
       from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name like 'casewright%'
         and xact_start < $1::timestamptz`,
      [now?.at ?? ''],
    );
    if ((row?.n ?? 0) === 0) return;
    if (performance.now() > until)
      throw new Error(
        `after ${WORKS_SECONDS_MAX} seconds ${row?.n} earlier transactions are still open. End them and rotate ` +
          'again',
      );
    if (polls === 8) parts.print(`waiting for ${row?.n} earlier transactions to end`);
    await delay(POLL_MILLISECONDS);
  }
}
