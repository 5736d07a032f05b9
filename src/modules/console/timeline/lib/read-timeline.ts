import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { recentChanges, type FieldChange } from '../../../../kernel/records/history/recent-changes.ts';
import { ownText } from '../../../../lib/mail/quoted-text.ts';
import { countsSql, ENTRY_SOURCES, entriesSql, type EntryKind, type EntrySource } from './entry-sources.ts';

/** Stored changes of one record that are read at once, and most of them per page. */
const CHANGES_AT_ONCE = 1_000;
const CHANGES_MAX = 10_000;

/** Where a page of a timeline begins: after the entry with this instant and key. */
export interface EntryCursor {
  readonly at: string;
  readonly key: string;
}

/** Which entries of a timeline to read. */
export interface TimelinePage {
  readonly kinds: ReadonlySet<EntryKind>;
  readonly isAutomaticShown: boolean;
  readonly before: EntryCursor | undefined;
  readonly size: number;
}

/** An entry of a timeline. */
export interface TimelineEntry {
  /** ISO 8601 with microseconds. */
  readonly at: string;
  readonly key: string;
  readonly kind: EntryKind;
  readonly action: string;
  readonly object: string;
  readonly id: number;
  readonly title: string | null;
  readonly body: string | null;
  readonly detail: string | null;
  readonly personId: number | null;
  /** Of a change: the fields. */
  readonly fields: readonly FieldChange[];
}

/**
 * Returns entries of a case, newest first. Records are read as the caller, so that entries are of visible ones only,
 * and of types that the caller may search.
 */
export async function readTimeline(
  ctx: Context,
  record: RecordType,
  id: number,
  page: TimelinePage,
): Promise<readonly TimelineEntry[]> {
  const builtin = await builtinPersons(ctx);
  const [stored, changes] = await Promise.all([
    storedEntries(ctx, record, id, { ...page, builtin }),
    page.kinds.has('Change') ? changeEntries(ctx, record, id, { ...page, builtin }) : [],
  ]);
  return [...stored, ...changes].sort(newestFirst).slice(0, page.size);
}

/** The number of entries of a kind. */
export interface KindCount {
  readonly kind: string;
  readonly count: number;
  /** How many of them are automatic. */
  readonly automatic: number;
}

/** Returns how many entries of each kind a case has. Changes of fields are not counted. */
export async function countEntries(ctx: Context, record: RecordType, id: number): Promise<readonly KindCount[]> {
  const builtin = arrayLiteral(await builtinPersons(ctx));
  const sources = openSources(ctx).filter(({ kind }) => kind !== 'Change');
  return sources.length === 0 ? [] : ctx.db.query<KindCount>(countsSql(sources), [record.name, id, builtin]);
}

/** A page, and the built-in users whose entries are automatic. */
type BuiltinPage = TimelinePage & { readonly builtin: readonly number[] };

async function builtinPersons(ctx: Context): Promise<readonly number[]> {
  const found = await Promise.all([ctx.builtinPersonId('System'), ctx.builtinPersonId('Workflow')]);
  return found.filter((id) => id !== undefined);
}

/** Returns the sources that the caller may read. */
function openSources({ registry, user }: Context): readonly EntrySource[] {
  return ENTRY_SOURCES.filter(({ record, isForStaff }) => {
    if (record === 'Process') return true;
    const { operation } = registry.find(record.toLowerCase(), 'search') ?? {};
    const isPermitted = operation !== undefined && user.permissions.has(operation.permissionName);
    return isPermitted && (isForStaff !== true || user.universal);
  });
}

async function storedEntries(
  ctx: Context,
  record: RecordType,
  id: number,
  { kinds, before, size, isAutomaticShown, builtin }: BuiltinPage,
): Promise<readonly TimelineEntry[]> {
  const sources = openSources(ctx).filter(({ kind }) => kinds.has(kind));
  if (sources.length === 0) return [];
  const rows = await ctx.db.query<Omit<TimelineEntry, 'fields'>>(entriesSql(sources, isAutomaticShown), [
    record.name,
    id,
    before?.at ?? null,
    before?.key ?? null,
    size,
    ...(isAutomaticShown ? [] : [arrayLiteral(builtin)]),
  ]);
  return rows.map((row) => ({ ...row, body: bodyOf(row), fields: [] }));
}

/** Returns the text of an entry; of a mail, without the earlier ones that it quotes. */
function bodyOf({ kind, body }: Pick<TimelineEntry, 'kind' | 'body'>): string | null {
  return kind === 'Mail' && body !== null ? ownText(body) : body;
}

/** Reads changes of the case, its loan and its property: of each as many as a page needs. */
async function changeEntries(
  ctx: Context,
  record: RecordType,
  id: number,
  page: BuiltinPage,
): Promise<readonly TimelineEntry[]> {
  const [related] = await ctx.db.query<{ loanId: number | null; propertyId: number | null }>(
    `select p.loanid as "loanId", l.propertyid as "propertyId"
     from process p
     left join loan l on l.loanid = p.loanid
     where p.processid = $1::bigint`,
    [id],
  );
  const records: readonly (readonly [RecordType, number | null | undefined])[] = [
    [record, id],
    [ctx.registry.recordType('Loan'), related?.loanId],
    [ctx.registry.recordType('Property'), related?.propertyId],
  ];
  const found = await Promise.all(
    records.map(async ([each, recordId]) =>
      typeof recordId === 'number' && mayReadHistory(ctx, each) ? changesOf(ctx, each, recordId, page) : [],
    ),
  );
  return found.flat();
}

function mayReadHistory({ registry, user }: Context, record: RecordType): boolean {
  const { operation } = registry.find(record.module, 'history') ?? {};
  return operation !== undefined && user.permissions.has(operation.permissionName);
}

async function changesOf(
  ctx: Context,
  record: RecordType,
  id: number,
  { before, size, isAutomaticShown, builtin }: BuiltinPage,
): Promise<readonly TimelineEntry[]> {
  const changes: FieldChange[] = [];
  let from = before?.at;
  for (let read = 0; read < CHANGES_MAX; read += CHANGES_AT_ONCE) {
    const limit = Math.min(CHANGES_AT_ONCE, 4 * size);
    const { changes: more, next } = await recentChanges(ctx, record, id, { before: from, limit });
    changes.push(
      ...more.filter(({ PersonID: person }) => isAutomaticShown || (person !== null && !builtin.includes(person))),
    );
    const calls = new Set(changes.map(callOf)).size;
    // The last call may have changed more than was read.
    if (next === undefined || calls > size) break;
    from = next;
  }
  return [...Map.groupBy(changes, callOf).values()].slice(0, size).flatMap(entryOfCall);
}

function callOf({ CallID, At }: FieldChange): string {
  return CallID ?? At;
}

/** Makes an entry of what one call changed in a record. Its instant is the first one, so that no page splits it. */
function entryOfCall(fields: readonly FieldChange[]): readonly TimelineEntry[] {
  const [last] = fields;
  const at = fields.at(-1)?.At;
  if (!last || at === undefined) return [];
  const { record, id, Change: change, PersonID: personId } = last;
  return [
    {
      at,
      key: `Change ${record.name} ${id}`,
      kind: 'Change',
      action: { update: 'Changed', delete: 'Deleted', undelete: 'Restored' }[change] ?? change,
      object: record.name,
      id,
      title: null,
      body: null,
      detail: null,
      personId,
      fields: fields.filter(({ Field: name }) => name !== undefined),
    },
  ];
}

function newestFirst(a: TimelineEntry, b: TimelineEntry): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  if (a.key === b.key) return 0;
  return a.key < b.key ? 1 : -1;
}
