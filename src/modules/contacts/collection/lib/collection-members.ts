import { list, type ListAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { forEachBatch } from '../../../../kernel/database/cursor.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { isA } from '../../../../kernel/declare/registry.ts';
import { assertCanSearch, isClosed, notFound, notFoundText } from '../../../../kernel/records/search/read.ts';
import { assertPage, pagingFields } from '../../../../kernel/records/search/search.ts';
import { fromOf, idOf } from '../../../../kernel/database/sql.ts';
import { today } from '../../../../kernel/time/today.ts';
import type { FieldColumns } from '../../../../kernel/declare/columns.ts';

const { RecordStart, DisplaySize } = pagingFields;

/** The paging parameters of the list. */
export const pageFields = { RecordStart, DisplaySize } as const;

/** The columns of each member. */
export const memberFields = {
  CollectionMemberID: f.id({ doc: 'The membership.' }),
  CollectionID: f.id({ doc: 'The collection.' }),
  Collection: f.text({ doc: "The collection's name.", max: 100 }),
  SourceObject: f.text({ doc: 'The record type of the member.', max: 60 }),
  SourceObjectID: f.id({ doc: 'The record that is a member.' }),
  Label: f.personal({ doc: "The member's name: in the collection if it has one there, otherwise its own.", max: 255 }),
  ContactID: f.id({ doc: 'The same id if members are contacts: a list of recipients.' }),
  PersonID: f.id({ doc: 'The same id if members are users: a team.' }),
  Priority: f.integer({ doc: 'The order of members, lowest number first.' }),
  EffectiveDate: f.date({ doc: 'The first day on which the member counts.' }),
  ExpiresDate: f.date({ doc: 'The last day on which the member counts.' }),
  RecordCount: f.integer({ doc: 'The total before paging.' }),
};

/** A member, as the query returns it. */
type MemberRow = Omit<FieldColumns<typeof memberFields>, 'RecordCount'>;

/** The collection and day of a member list. */
interface MemberQuery {
  readonly CollectionID?: number | null;
  readonly Collection?: string | null;
  readonly SourceObject?: string | null;
  readonly AsOf?: string | null;
}

interface FoundCollection {
  readonly id: number;
  readonly name: string;
  readonly source: string;
}

async function findCollection(ctx: Context, query: MemberQuery): Promise<FoundCollection> {
  const { CollectionID: id, Collection: name } = query;
  if (id) {
    const [row] = await ctx.db.query<FoundCollection>(
      `select collectionid as id, collection as name, sourceobject as source
       from collection
       where collectionid = $1::bigint`,
      [id],
    );
    if (!row) throw notFound({ name: 'Collection' }, id, 'CollectionID');
    return row;
  }
  if (!name)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'CollectionID',
      message: 'CollectionID is required: the collection, or Collection, its name.',
    });
  const source = query.SourceObject ? ctx.registry.requireRecord(query.SourceObject, 'SourceObject').name : null;
  // If firms use the same name, the installation's own collection wins.
  const rows = await ctx.db.query<FoundCollection & { own: boolean }>(
    `select collectionid as id, collection as name, sourceobject as source, reachorganizationid is null as own
     from collection
     where collection = $1::text and ($2::text is null or sourceobject = $2::text)
     order by collectionid
     limit 10`,
    [name, source],
  );
  const own = rows.filter((row) => row.own);
  const found = own.length > 0 ? own : rows;
  if (found.length > 1)
    throw bad(
      'Collection',
      'the name of one collection; several have this name ' +
        `(${found.map((row) => `${row.id} of ${row.source}`).join(', ')}): send CollectionID or SourceObject`,
    );
  if (!found[0])
    throw new PlatformError('NOT_FOUND', {
      field: 'Collection',
      message: `Collection: ${notFoundText({ name: 'Collection' }, `"${name.slice(0, 100)}"`)}`,
    });
  return found[0];
}

interface SqlQuery {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Selects the members whose record exists and is visible to the caller. */
function membersQuery(ctx: Context, found: FoundCollection, source: RecordType, query: MemberQuery): SqlQuery {
  const idIf = (name: string): string =>
    isA(source, ctx.registry.requireRecord(name, 'SourceObject')) ? 'm.sourceobjectid' : 'null::bigint';
  return {
    text: `select m.collectionmemberid as "CollectionMemberID", m.collectionid as "CollectionID", $3::text as
      "Collection", $4::text as "SourceObject", m.sourceobjectid as "SourceObjectID",
      coalesce(m.collectionmember, ${source.root.table}.${source.root.table}) as "Label",
      ${idIf('Contact')} as "ContactID", ${idIf('Person')} as "PersonID",
      m.priority as "Priority", m.effectivedate as "EffectiveDate", m.expiresdate as "ExpiresDate"
      from ${fromOf(source)} join casewright_members($1::bigint, $2::date) m on m.sourceobjectid = ${idOf(source)}`,
    values: [found.id, query.AsOf ?? today(ctx), found.name, source.name],
  };
}

const ORDER = 'order by m.priority nulls last, m.collectionmemberid';

/** Returns a page of the members that count. */
export async function memberPage(
  ctx: Context,
  query: MemberQuery & { readonly RecordStart: number; readonly DisplaySize: number },
): Promise<ListAnswer<object>> {
  const { RecordStart: start, DisplaySize: size } = query;
  assertPage(start, size);
  const found = await findCollection(ctx, query);
  const source = ctx.registry.requireRecord(found.source, 'SourceObject');
  assertCanSearch(ctx, source);
  if (isClosed(ctx, source)) return list('CollectionMember', memberFields, []);
  const { text, values } = membersQuery(ctx, found, source, query);
  const [counted] = await ctx.db.query<{ n: number }>(`select count(*)::integer as n from (${text}) counted`, values);
  const rows = await ctx.db.query<MemberRow>(`${text} ${ORDER} limit $5::integer offset $6::integer`, [
    ...values,
    size,
    start,
  ]);
  return list(
    'CollectionMember',
    memberFields,
    rows.map((row) => ({ ...row, RecordCount: counted?.n ?? 0 })),
  );
}

/** Rows per piece when a list is read whole. */
const PIECE_ROWS = 500;

/** Yields all members that count, in pieces from one snapshot. */
export async function readAllMembers(
  ctx: Context,
  query: MemberQuery,
  take: (piece: ListAnswer) => Promise<void>,
): Promise<void> {
  const found = await findCollection(ctx, query);
  const source = ctx.registry.requireRecord(found.source, 'SourceObject');
  assertCanSearch(ctx, source);
  const shape = Object.entries(memberFields)
    .filter(([name]) => name !== 'RecordCount')
    .map(([name, field]) => ({ name, field }));
  if (isClosed(ctx, source)) return take({ kind: 'list', name: 'CollectionMember', shape, rows: [] });
  const { text, values } = membersQuery(ctx, found, source, query);
  await forEachBatch<MemberRow>(ctx.transaction(), { text: `${text} ${ORDER}`, values, size: PIECE_ROWS }, (rows) =>
    take({ kind: 'list', name: 'CollectionMember', shape, rows }),
  );
}
