import type postgres from 'postgres';

/** Phases of a rotation; the migration that creates the table explains them. */
type Phase = 'announced' | 'sealing' | 'resealed' | 'done';

/** The current rotation, or the last one. Keys are hexadecimal ids. */
export interface Rotation {
  readonly phase: Phase;
  readonly newKey: string;
  readonly currentKey: string;
  readonly oldKeys: readonly string[];
}

/** A process that may seal. */
export interface HolderStatus {
  readonly label: string;
  readonly knows: readonly string[];
  readonly seals: string;
}

/** Seconds without a report after which a process refuses to seal. */
export const HOLDER_SECONDS_MAX = 60;

const hexList = (column: string): string => `to_jsonb(array(select encode(k, 'hex') from unnest(${column}) k))`;

/** Returns the rotation in the store; undefined if there was none. */
export async function readRotation(sql: postgres.ISql): Promise<Rotation | undefined> {
  const [row] = await sql.unsafe<Rotation[]>(
    `select phase, encode(newkey, 'hex') as "newKey", encode(currentkey, 'hex') as "currentKey",
       ${hexList('oldkeys')} as "oldKeys"
     from secretkeyrotation`,
  );
  return row;
}

/** Returns the id of the sealing key; undefined if it is the first one of the ring. */
export function sealingKey(rotation: Rotation | undefined): Buffer | undefined {
  if (rotation === undefined) return undefined;
  return Buffer.from(rotation.phase === 'announced' ? rotation.currentKey : rotation.newKey, 'hex');
}

/** Returns the ids of keys without which the store cannot be read or written. */
export function neededKeys(rotation: Rotation | undefined): readonly string[] {
  if (rotation === undefined) return [];
  switch (rotation.phase) {
    case 'announced':
      return rotation.oldKeys;
    case 'sealing':
      return [rotation.newKey, ...rotation.oldKeys];
    default:
      return [rotation.newKey];
  }
}

/** Starts a rotation: records the new key's id before any process has the key. */
export async function announceRotation(sql: postgres.ISql, rotation: Omit<Rotation, 'phase'>): Promise<void> {
  await sql.unsafe(
    `insert into secretkeyrotation (phase, newkey, currentkey, oldkeys)
     values ('announced', decode($1, 'hex'), decode($2, 'hex'),
       array(select decode(k, 'hex') from jsonb_array_elements_text($3::text::jsonb) k))
     on conflict (onlyrow) do update
       set phase = excluded.phase, newkey = excluded.newkey, currentkey = excluded.currentkey,
         oldkeys = excluded.oldkeys, starteddate = now(), changeddate = now()`,
    [rotation.newKey, rotation.currentKey, JSON.stringify(rotation.oldKeys)],
  );
}

/** Moves the rotation to a key on to its next phase. */
export async function enterPhase(sql: postgres.ISql, newKey: string, phase: Phase): Promise<void> {
  const rows = await sql.unsafe(
    `update secretkeyrotation set phase = $2, changeddate = now() where newkey = decode($1, 'hex') returning 1`,
    [newKey, phase],
  );
  if (rows.length === 0) throw new Error('another rotation replaced this one while it was running; rotate again');
}

/** Returns the processes that may seal at the moment. */
export async function readHolders(sql: postgres.ISql): Promise<HolderStatus[]> {
  return sql.unsafe<HolderStatus[]>(
    `select label, ${hexList('knows')} as knows, encode(seals, 'hex') as seals
     from secretkeyholder
     where seen > now() - interval '${HOLDER_SECONDS_MAX} seconds'
     order by label`,
  );
}

/** Records which keys a process knows and which one it seals with; deletes processes that are long gone. */
export async function reportHolder(sql: postgres.ISql, processId: string, holder: HolderStatus): Promise<void> {
  await sql.unsafe(
    `with forgotten as (delete from secretkeyholder where seen < now() - interval '1 day')
     insert into secretkeyholder (processid, label, knows, seals)
     values ($1::text::uuid, $2, array(select decode(k, 'hex') from jsonb_array_elements_text($3::text::jsonb) k),
       decode($4, 'hex'))
     on conflict (processid) do update set knows = excluded.knows, seals = excluded.seals, seen = now()`,
    [processId, holder.label, JSON.stringify(holder.knows), holder.seals],
  );
}

/** Removes a process from the list: it no longer seals. */
export async function removeHolder(sql: postgres.ISql, processId: string): Promise<void> {
  await sql.unsafe('delete from secretkeyholder where processid = $1::text::uuid', [processId]);
}
