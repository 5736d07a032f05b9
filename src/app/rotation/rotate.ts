import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import { KeyRing, keysOf, newKey } from '../../kernel/security/cipher.ts';
import type { Connection } from '../../kernel/database/store.ts';
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

/** Advisory lock of the one rotation that runs. The number is arbitrary, but the same in all processes. */
const LOCK = 7_322_098;
/** Longest wait until processes know the new key: longer than a dead process stays on the list. */
const KNOWN_SECONDS_MAX = HOLDER_SECONDS_MAX + 15;
/** Longest wait for work that began under the old key: files being written, transactions. */
const WORKS_SECONDS_MAX = 900;
const LOOK_MILLISECONDS = 250;

/** Parameters of a rotation. */
export interface RotationParts {
  readonly connection: Connection;
  readonly source: KeySource;
  /** No other process can be using the store: those still listed are gone. */
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
 * 3. resealed: nothing is sealed with the old keys any more; they leave the key file, and are stored beside it, because
 *    older backups need them.
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
        `${source.name} lacks the key ${missing.join(', ')}, which the rotation that was begun needs. ` +
          'Nothing was changed; put it back on a line of its own.',
      );
    print(`going on with the rotation to the key ${known.newKey}, which is ${known.phase}`);
    return known;
  }
  const keys = keysOf(source.read());
  const ids = keys.map((key) => key.id.toString('hex'));
  const last = known?.phase === 'announced' ? known.currentKey : known?.newKey;
  const currentKey = last !== undefined && ids.includes(last) ? last : ids[0];
  if (currentKey === undefined) throw new Error(`${source.name} holds no key`);
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
  print(`a new key ${id} was added to ${file}; keep a copy of the file apart from the data`);
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
      `${parts.source.name} holds no new key: the last one there, ${id}, seals already. Add a new key at the ` +
        'end, behind a comma (openssl rand -base64 32 makes one), for every process, and start them again; ' +
        'then rotate with the same value.',
    );
  const rotation: Rotation = { phase: 'announced', newKey: id, currentKey, oldKeys: ids.filter((one) => one !== id) };
  await announceRotation(sql, rotation);
  await logSecurityEvent(sql, 'SecretKeyAnnounced', `key ${id}`);
  parts.print(`rotating to the key ${id}, the last of ${parts.source.name}`);
  return rotation;
}

async function startSealing(sql: postgres.Sql, parts: RotationParts, rotation: Rotation): Promise<void> {
  await waitForHolders(sql, parts, KNOWN_SECONDS_MAX, {
    lagging: (holder) => !holder.knows.includes(rotation.newKey),
    waits: 'waiting until every process knows the new key',
    fails:
      'do not know the new key. It must be in the key file, or in CASEWRIGHT_SECRET_KEY, of each process. ' +
      'Nothing seals with it yet; see to that and rotate again',
  });
  await enterPhase(sql, rotation.newKey, 'sealing');
  await logSecurityEvent(sql, 'SecretKeySeals', `key ${rotation.newKey}`);
}

async function sealAll(sql: postgres.Sql, parts: RotationParts, rotation: Rotation): Promise<void> {
  await waitForHolders(sql, parts, WORKS_SECONDS_MAX, {
    lagging: (holder) => holder.seals !== rotation.newKey,
    waits: 'waiting until every process seals with the new key and has finished the files that it began before',
    fails:
      'still seal with the old key, or write a file that they began with it. Start those processes anew and ' +
      'rotate again',
  });
  await waitForTransactions(sql, parts);
  parts.print(`every process seals with the key ${rotation.newKey}`);
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

/** Moves the old keys out of the key file into one beside it: earlier backups are sealed with them. */
async function retire(sql: postgres.Sql, parts: RotationParts, rotation: Rotation): Promise<void> {
  const { source, print } = parts;
  if (source.file === undefined) {
    print(
      'the old keys are needed no more: take them out of CASEWRIGHT_SECRET_KEY at the next start of each ' +
        'process. Keep them for the backups that were taken before',
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
        `the old keys are needed no more and were moved to ${retiredFile}: backups that were taken before need ` +
          'them. Put that file where your keys are kept, or delete it when no such backup is left',
      );
    }
  }
  await logSecurityEvent(sql, 'SecretKeyRetired', `now key ${rotation.newKey}`);
  await enterPhase(sql, rotation.newKey, 'done');
  print(`done: everything is sealed with the key ${rotation.newKey}`);
}

/** Writes an entry of the security log in the journal's format. Nobody is signed in at a command line. */
async function logSecurityEvent(sql: postgres.Sql, event: string, detail: string): Promise<void> {
  await sql.unsafe(`insert into securitylog (securitylog, object, detail) values ($1, 'SecretKey', $2)`, [
    event,
    detail,
  ]);
}

async function waitForHolders(
  sql: postgres.Sql,
  parts: RotationParts,
  secondsMax: number,
  of: { lagging: (holder: HolderStatus) => boolean; waits: string; fails: string },
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
      throw new Error(`after ${secondsMax} seconds these processes (host:pid) ${of.fails}: ${names}`);
    if (names !== printed) parts.print(`${of.waits}: ${names}`);
    printed = names;
    await delay(LOOK_MILLISECONDS);
  }
}

/**
 * Waits until all current transactions have ended: one that began before every process knew may still write what it
 * sealed before.
 */
async function waitForTransactions(sql: postgres.Sql, parts: RotationParts): Promise<void> {
  const [now] = await sql.unsafe<{ at: string }[]>('select clock_timestamp()::text as at');
  const until = performance.now() + WORKS_SECONDS_MAX * 1_000;
  for (let looks = 0; ; looks++) {
    const [row] = await sql.unsafe<{ n: number }[]>(
      'select count(*)::integer as n from pg_stat_activity where datname = current_database() and pid <> ' +
        `pg_backend_pid() and application_name like 'casewright%' and xact_start < $1::timestamptz`,
      [now?.at ?? ''],
    );
    if ((row?.n ?? 0) === 0) return;
    if (performance.now() > until)
      throw new Error(
        `after ${WORKS_SECONDS_MAX} seconds ${row?.n} transactions are open that began before. See to them ` +
          'and rotate again',
      );
    if (looks === 8) parts.print(`waiting for ${row?.n} transactions that began before`);
    await delay(LOOK_MILLISECONDS);
  }
}
