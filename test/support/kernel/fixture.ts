import { item, list, type Answer } from '../../../src/kernel/door/answer.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { namedRows } from '../../../src/kernel/door/named-records.ts';
import { computed, f, required } from '../../../src/kernel/declare/field.ts';
import type { ParameterFields } from '../../../src/kernel/declare/field-types.ts';
import { defineOperation, handle, type OperationDeclaration } from '../../../src/kernel/declare/operation.ts';
import { parameter, type Parameters } from '../../../src/kernel/parameters/parameters.ts';
import type { RawValue } from '../../../src/kernel/parameters/parse-value.ts';
import { defineRecord, type RecordType } from '../../../src/kernel/declare/record.ts';
import { templateFields } from '../../../src/kernel/records/save/template-fields.ts';
import { storedColumns } from '../../../src/kernel/database/sql.ts';
import type { Declarations, OperationFile } from '../../../src/kernel/declare/registry.ts';
import { callSignature, checkSignature } from '../../../src/kernel/door/signature.ts';

/** Test-only template and instance types, with a column of every type. */
export const choreTemplate = defineRecord({
  name: 'ChoreTemplate',
  doc: 'A kind of chore.',
  reach: 'configuration',
  fields: templateFields,
  triggers: { choretemplate_configuration: 'Tells every process.' },
});
export const chore = defineRecord({
  name: 'Chore',
  doc: 'Something to be done below a record.',
  reach: 'none',
  parent: 'Chores',
  template: 'ChoreTemplate',
  childKey: 'Sequence',
  collections: { ParentChoreID: 'SubChores' },
  finalStatuses: ['Done'],
  fields: {
    Note: f.text({ doc: 'Text.', max: 200 }),
    Code: f.text({ doc: 'Exact text.', max: 50, exact: true }),
    Count: f.integer({ doc: 'A whole number.' }),
    Amount: f.money({ doc: 'Money.' }),
    Ratio: f.decimal({ doc: 'A decimal.' }),
    Due: f.date({ doc: 'A day.' }),
    At: f.timestamp({ doc: 'An instant.' }),
    Flag: f.boolean({ doc: 'Yes or no.' }),
    Sequence: f.integer({ doc: 'Its place among the chores of one parent.' }),
    Sum: computed(f.money({ doc: 'Computed.' })),
    HelperContactID: f.id({ doc: 'Who helps.', to: 'Contact' }),
    ParentChoreID: f.id({ doc: 'Part of.', to: 'Chore' }),
    BackupContactID: f.id({ doc: 'Who helps then.', to: 'Contact' }),
  },
});

function columnSql(record: RecordType, { column, type }: { readonly column: string; readonly type: string }): string {
  const field = record.columns.get(column)?.field;
  if (type !== 'text') return `${column} ${type}`;
  return `${column} text collate ${field?.exact ? '"C"' : 'casewright_text'}`;
}

function tableSql(record: RecordType): string {
  const columns = (storedColumns(record).get(record.table) ?? []).map((c) => columnSql(record, c));
  return `create table ${record.table} (${record.table}id bigint generated always as identity primary key,
    ${columns.join(', ')});
    create trigger ${record.table}_history after update or delete on ${record.table}
      for each row execute function casewright_history();
    select casewright_open('${record.table}', '${record.reach}');`;
}

const schema = `${tableSql(choreTemplate)} ${tableSql(chore)}
  create trigger choretemplate_configuration after insert or update or delete on choretemplate
    for each statement execute function casewright_configuration();
  create table tally (name text primary key, n integer not null);
  grant select, insert, update on tally to casewright_reach;`;

/** Work that a test passes to `probe/run` by name: it runs inside the operation, in its transaction. */
export const work = new Map<string, (ctx: Context, rest: Parameters) => Promise<Answer>>();

type Probe = Omit<
  OperationDeclaration,
  'module' | 'summary' | 'idempotent' | 'access' | 'params' | 'returns' | 'errors' | 'source' | 'method'
> &
  Partial<OperationDeclaration>;

function probe(
  declaration: Probe & { readonly params: ParameterFields },
  run: (ctx: Context, params: Record<string, unknown>, rest: Parameters) => Promise<Answer>,
): OperationFile {
  const operation = defineOperation({
    module: 'probe',
    summary: 'Of tests.',
    method: 'GET',
    idempotent: true,
    access: 'permission',
    returns: 'item',
    errors: [],
    source: 'tests',
    ...declaration,
  });
  return { operation, run: handle(operation as OperationDeclaration, run as never) };
}

const echoed = { Name: f.text({ doc: 'Which parameter.' }), Value: f.json({ doc: 'Its parsed value.' }) };
const echo = async (_ctx: Context, params: Record<string, unknown>, rest: Parameters): Promise<Answer> =>
  list(
    'Echo',
    echoed,
    Object.entries({ ...params, ...rest }).map(([Name, Value]) => ({ Name, Value })),
  );

const kinds = {
  Text: f.text({ doc: 'Text.', max: 100 }),
  Amount: f.money({ doc: 'Money.' }),
  Count: f.integer({ doc: 'A number.' }),
  Day: f.date({ doc: 'A day.' }),
  At: f.timestamp({ doc: 'An instant.' }),
  Flag: f.boolean({ doc: 'Yes or no.' }),
  ContactID: f.id({ doc: 'A contact.', to: 'Contact' }),
  IDs: f.idList({ doc: 'Ids.' }),
  Words: f.textList({ doc: 'Words.' }),
  Object: f.text({ doc: 'A class.' }),
  ObjectID: f.id({ doc: 'A record.' }),
  Data: f.json({ doc: 'Anything.' }),
};

const run = async (ctx: Context, params: Record<string, unknown>, rest: Parameters): Promise<Answer> => {
  const task = work.get(String(params['Work']));
  if (!task) throw new PlatformError('NOT_FOUND', { message: 'no such work' });
  return task(ctx, rest);
};
const runParams = { Work: required(f.text({ doc: 'Which work.' })) };

/** The ids with which `chore/touch` and its like have run. */
export const touched: unknown[] = [];
const touchParams = { ID: required(f.idList({ doc: 'Records.' })) };
const touch = (_ctx: Context, { ID }: Record<string, unknown>): Promise<Answer> => {
  touched.push(ID);
  return Promise.resolve({ kind: 'nothing' });
};

const oneParams = { ID: required(f.id({ doc: 'A record.' })) };
/** Notes the rows that the door has handed over. */
const touchRows = (ctx: Context): Promise<Answer> => {
  const { record } = ctx.named.get('ID') ?? ctx;
  touched.push(namedRows(ctx, record).map((row) => [record.name, row[record.idField]]));
  return Promise.resolve({ kind: 'nothing' });
};

const resolve =
  (values: Parameters) =>
  (expression: string): RawValue | undefined =>
    parameter(values, expression);
const signatureUse = { field: 'Signature', module: 'Contact' };

export const operations: readonly OperationFile[] = [
  probe({ name: 'Echo', effect: 'read', params: kinds, returns: 'list', answerName: 'Echo', rows: echoed }, echo),
  probe(
    { name: 'EchoAny', effect: 'read', params: {}, free: 'any', returns: 'list', answerName: 'Echo', rows: echoed },
    echo,
  ),
  probe(
    {
      name: 'ScheduleListen',
      path: 'schedule/listen',
      effect: 'read',
      params: kinds,
      returns: 'list',
      answerName: 'Echo',
      rows: echoed,
    },
    echo,
  ),
  probe(
    {
      name: 'ListItem',
      path: 'lists/{Text}/items/{Count}',
      effect: 'read',
      params: kinds,
      returns: 'list',
      answerName: 'Echo',
      rows: echoed,
    },
    echo,
  ),
  probe({ name: 'Run', effect: 'write', params: runParams, free: 'any', idempotent: false }, run),
  probe({ name: 'RunRead', effect: 'read', params: runParams, free: 'any' }, run),
  probe({ name: 'RunList', effect: 'read', params: runParams, free: 'any', returns: 'list' }, run),
  probe({ name: 'RunOwn', effect: 'write', params: runParams, free: 'any', transactions: 'own' }, run),
  probe({ name: 'RunRaw', effect: 'write', params: runParams, free: 'any', body: 'raw', method: 'POST' }, run),
  probe({ module: 'chore', name: 'Touch', names: 'ID', effect: 'write', params: touchParams }, touch),
  probe(
    {
      module: 'chore',
      name: 'TouchOwn',
      names: 'ID',
      reach: { own: 'A test of that.' },
      effect: 'write',
      params: touchParams,
    },
    touch,
  ),
  probe({ module: 'contact', name: 'Touch', names: 'ID', effect: 'write', params: touchParams }, touch),
  probe({ module: 'chore', name: 'TouchRow', names: 'ID', reach: 'row', effect: 'read', params: oneParams }, touchRows),
  probe(
    { module: 'chore', name: 'TouchLocked', names: 'ID', reach: 'locked row', effect: 'write', params: touchParams },
    touchRows,
  ),
  probe(
    { module: 'contact', name: 'TouchLocked', names: 'ID', reach: 'locked row', effect: 'write', params: oneParams },
    touchRows,
  ),
  probe(
    {
      module: 'chore',
      name: 'TouchPair',
      names: ['HelperContactID', { object: 'Object', id: 'ObjectID' }],
      effect: 'write',
      params: {
        HelperContactID: f.id({ doc: 'A contact.', to: 'Contact' }),
        Object: f.text({ doc: 'A record type.' }),
        ObjectID: f.id({ doc: 'A record.' }),
      },
    },
    (ctx, params) => touch(ctx, { ID: params }),
  ),
  probe({ name: 'Count', effect: 'read', params: {}, returns: { N: f.integer({ doc: 'n' }) } }, async (ctx) =>
    item(
      'Count',
      { N: f.integer({ doc: 'n' }) },
      { N: (await ctx.db.query<{ n: number }>('select coalesce(sum(n), 0)::integer as n from tally'))[0]?.n },
    ),
  ),
  probe(
    {
      name: 'Signature',
      effect: 'write',
      params: { Signature: required(f.text({ doc: 'What to call.' })) },
      free: 'any',
      returns: 'list',
    },
    (ctx, params, rest) => callSignature(ctx, String(params['Signature']), signatureUse, resolve(rest)),
  ),
  probe(
    { name: 'CheckSignature', effect: 'read', params: { Signature: required(f.text({ doc: 'What to check.' })) } },
    async (ctx, params) => {
      const { route } = await checkSignature(ctx, String(params['Signature']), signatureUse);
      return item('Signature', { Route: f.text({ doc: 'r' }) }, { Route: route });
    },
  ),
];

/** Options of `testPlatform` for the types and operations above. */
export const fixture: { readonly declarations: Partial<Declarations>; readonly schema: string } = {
  declarations: { records: [choreTemplate, chore], operations },
  schema,
};

/** Returns the echoed parameters of `probe/echo` by name. */
export function echoOf(answer: { readonly text: string; json(): Record<string, unknown> }): Record<string, unknown> {
  const body = answer.json() as { EchoCollection?: { EchoItem: { Name: string; Value: unknown }[] } };
  if (!body.EchoCollection) throw new Error(answer.text);
  return Object.fromEntries(body.EchoCollection.EchoItem.map(({ Name, Value }) => [Name, Value]));
}
