import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { collection } from './collection.record.ts';
import { valueAfter, type Values } from '../../../kernel/declare/values.ts';
import { lockRecord } from '../../../kernel/records/save/lock-record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const checks = [
  defineCheck({
    on: collection,
    doc: 'A collection has a name, and the record type of its template. The type cannot change while it has members.',
    async run(ctx, { values, id }) {
      assertNamed(values, id);
      const stored = id === undefined ? undefined : await lockRecord(ctx, ctx.registry.recordType('Collection'), id);
      const template = await templateOf(ctx, values, stored);
      const sent = values.SourceObject ?? stored?.SourceObject ?? template?.appliesto;
      if (typeof sent !== 'string')
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'SourceObject',
          message: 'SourceObject is required: the record type of the members, unless a template names it.',
        });
      const record = ctx.registry.requireRecord(sent, 'SourceObject');
      if (template?.appliesto && ctx.registry.record(template.appliesto) !== record)
        throw bad('SourceObject', `${template.appliesto}, the type of the template`);
      if (stored && stored.SourceObject !== record.name) await assertEmpty(ctx, stored);
      if (values.SourceObject !== undefined || !stored) values.SourceObject = record.name;
    },
  }),
];

function assertNamed(values: Values<typeof collection>, id: number | undefined): void {
  if (id === undefined && typeof values.Collection !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Collection',
      message: 'Collection is required: the name of the collection.',
    });
  if (values.Collection === null) throw bad('Collection', 'a name');
}

async function templateOf(
  ctx: Context,
  values: Values<typeof collection>,
  stored: Row<typeof collection> | undefined,
): Promise<{ readonly appliesto: string | null } | undefined> {
  const id = valueAfter(values, stored, 'CollectionTemplateID');
  if (typeof id !== 'number') return undefined;
  const [template] = await ctx.db.query<{ appliesto: string | null }>(
    'select appliesto from collectiontemplate where collectiontemplateid = $1::bigint',
    [id],
  );
  return template;
}

async function assertEmpty(ctx: Context, stored: Row<typeof collection>): Promise<void> {
  const members = await ctx.db.query('select 1 from collectionmember where collectionid = $1::bigint limit 1', [
    stored.CollectionID,
  ]);
  if (members.length > 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'SourceObject',
      message: `SourceObject: the collection has members of type ${stored.SourceObject}; remove them first.`,
    });
}
