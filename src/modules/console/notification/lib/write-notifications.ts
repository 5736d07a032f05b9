import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { columnLabel } from '../../../../kernel/declare/labels.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { isPosition, presentPosition } from '../../../../kernel/changes/read-changes.ts';
import { firmOf, type Principal } from '../../../../kernel/security/identity.ts';
import { eventText, mentionedNames, type TextContext } from './event-text.ts';
import { readEvents, type NotableEvent } from './read-events.ts';

/** An event with the user who is to be notified. */
type AddressedEvent = NotableEvent & { readonly personId: number };

/** Events of one kind about one record, for one user: one notification. */
interface EventGroup {
  readonly events: readonly AddressedEvent[];
  readonly last: AddressedEvent;
}

/** How long an unread notification takes up further events of its kind. */
const COMBINE_MINUTES = 60;
/** Kinds of columns whose changes are events. */
const DATE_KINDS: ReadonlySet<string> = new Set(['date', 'timestamp']);

/**
 * Writes notifications of everything that was committed since the last time, and stores how far it came, in one
 * transaction: each event is notified of once. Only one process writes at a time. Returns how many were written.
 */
export async function writeNotifications(platform: Platform): Promise<number> {
  const actor = { personId: null, firm: null, callId: 'notifications' };
  return platform.store.transaction(actor, async (transaction) => {
    const [state] = await transaction.query<{ position: string | null; isforeign: boolean | null }>(
      `select position, pg_snapshot_xmax(position::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()) as isforeign
       from notificationposition for update skip locked`,
    );
    if (!state) return 0;
    const { position } = state;
    if (position === null || !isPosition(position) || state.isforeign === true) {
      await storePosition(transaction, await presentPosition(transaction));
      return 0;
    }
    const batch = await readEvents(transaction, position, notableColumns(platform));
    const events = await permittedEvents(platform, transaction, await addressed(transaction, batch.events));
    const written = events.length > 0 ? await store(platform, transaction, groupsOf(events)) : 0;
    await storePosition(transaction, batch.position);
    return written;
  });
}

function storePosition(db: Db, position: string): Promise<unknown> {
  return db.query('update notificationposition set position = $1::text', [position]);
}

/** Returns the columns of cases and loans whose changes are events: dates, and the status. */
function notableColumns({ registry }: Platform): string[] {
  const names = ['Foreclosure', 'Bankruptcy', 'Loan'].flatMap((type) =>
    (registry.record(type)?.shown ?? [])
      .filter(({ field, custom }) => DATE_KINDS.has(field.kind) && field.computed !== true && !custom)
      .map(({ column }) => column),
  );
  return [...new Set([...names, 'status'])];
}

/** Returns events with their users: those of mentions are found by the names in the text. */
async function addressed(db: Db, events: readonly NotableEvent[]): Promise<AddressedEvent[]> {
  const names = events.flatMap((event) => (event.kind === 'Mention' ? mentionedNames(event.what) : []));
  const persons =
    names.length === 0
      ? []
      : await db.query<{ personid: number; name: string }>(
          'select personid, lower(person) as name from person where person = any($1::text[])',
          [arrayLiteral([...new Set(names)])],
        );
  const byName = new Map(persons.map(({ name, personid }) => [name, personid]));
  return events.flatMap((event) => {
    if (event.personId !== null) return [{ ...event, personId: event.personId }];
    const mentioned = mentionedNames(event.what).flatMap((name) => byName.get(name.toLowerCase()) ?? []);
    return [...new Set(mentioned)]
      .filter((personId) => personId !== event.actor)
      .map((personId) => ({ ...event, personId, what: event.what.split('\n')[0] ?? '' }));
  });
}

/** Returns the events that their users may know of and want to. */
async function permittedEvents(
  platform: Platform,
  db: Db,
  events: readonly AddressedEvent[],
): Promise<AddressedEvent[]> {
  const ids = [...new Set(events.map(({ personId }) => personId))];
  if (ids.length === 0) return [];
  const muted = new Map(
    (
      await db.query<{ personid: number; mutedkinds: string | null }>(
        'select personid, mutedkinds from preference where personid = any($1::bigint[])',
        [arrayLiteral(ids)],
      )
    ).map(({ personid, mutedkinds }) => [personid, new Set(splitCommaList(mutedkinds ?? ''))]),
  );
  // A user who is no longer active gets none.
  const principals = new Map(
    await Promise.all(
      ids.map(async (id) => [id, await platform.identity.ofPerson(id).catch(() => undefined)] as const),
    ),
  );
  return events.filter((event) => {
    const principal = principals.get(event.personId);
    return principal && !muted.get(event.personId)?.has(event.kind) && mayKnow(platform, principal, event);
  });
}

/** Whether a user's roles allow reading the record that changed, and its row is visible to them. */
function mayKnow({ registry }: Platform, principal: Principal, { type, firms, kind }: NotableEvent): boolean {
  const firm = firmOf(principal);
  if (firm !== null && !firms.includes(firm)) return false;
  // Whoever was given a work item may open it, whatever else they may read.
  if (kind === 'Assignment') return true;
  const { module } = registry.record(type) ?? { module: type.toLowerCase() };
  return ['select', 'search'].some((name) => {
    const operation = registry.find(module, name)?.operation;
    return operation !== undefined && principal.permissions.has(operation.permissionName);
  });
}

function keyOf({ personId, object, objectId, kind }: AddressedEvent): string {
  return `${personId} ${object} ${objectId} ${kind}`;
}

function groupsOf(events: readonly AddressedEvent[]): EventGroup[] {
  return [...Map.groupBy(events, keyOf).values()].flatMap((of) => {
    const last = of.at(-1);
    return last ? [{ events: of, last }] : [];
  });
}

/** An unread notification that further events are added to. */
interface OpenNotification {
  readonly notificationid: number;
  readonly key: string;
  readonly count: number;
}

async function store(platform: Platform, db: Db, groups: readonly EventGroup[]): Promise<number> {
  const now = platform.clock.now();
  const since = new Date(platform.clock.milliseconds() - COMBINE_MINUTES * 60_000).toISOString();
  const open = await db.query<OpenNotification>(
    `select notificationid, concat_ws(' ', personid, object, objectid, kind) as key, count from notification
     where personid = any($1::bigint[]) and readdate is null and createddate > $2::timestamptz
     order by notificationid for update`,
    [arrayLiteral([...new Set(groups.map(({ last }) => last.personId))]), since],
  );
  const byKey = new Map(open.map((row) => [row.key, row]));
  const context = textContext(platform);
  const rows = groups.map(({ events, last }) => {
    const known = byKey.get(keyOf(last));
    const count = events.length + (known?.count ?? 0);
    const words = eventText(last, count, context);
    return { replaced: known?.notificationid ?? null, person: last.personId, text: words, count, last };
  });
  // A notification that takes up more events is the latest again: the old row goes.
  await db.query('delete from notification where notificationid = any($1::bigint[])', [
    arrayLiteral(rows.flatMap(({ replaced }) => (replaced === null ? [] : [replaced]))),
  ]);
  await db.query(
    `insert into notification (personid, notification, object, objectid, kind, count, createddate, updateddate)
     select person, text, object, objectid, kind, count, $2::timestamptz, $2::timestamptz
     from jsonb_to_recordset($1::text::jsonb) as r (person bigint, text text, object text, objectid bigint, kind text,
       count integer)`,
    [
      JSON.stringify(
        rows.map(({ person, text, count, last }) => ({
          person,
          text,
          count,
          object: last.object,
          objectid: last.objectId,
          kind: last.kind,
        })),
      ),
      now,
    ],
  );
  return rows.length;
}

function textContext({ registry, clock }: Platform): TextContext {
  return {
    year: clock.now().slice(0, 4),
    labelOf: (type, column) => {
      const record = registry.record(type);
      const declared = [...(record?.columns.values() ?? [])].find((each) => each.column === column);
      return record && declared ? columnLabel(record, declared.name) : column;
    },
  };
}
