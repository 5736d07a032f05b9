import { item, shapeOf } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { openText } from '../../../kernel/security/sealed-text.ts';
import { maskParameterXml } from './lib/parameter-xml.ts';

export const operation = defineOperation({
  module: 'importfilequeue',
  name: 'Select',
  method: 'GET',
  summary:
    'Returns one row of a batch with its parameters, in which personal numbers are masked. Unmasking them ' +
    'requires the permission UnmaskSSN and is written to the security log.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The row.' })),
    Unmask: f.boolean({ doc: 'Whether the parameters are returned unmasked.', default: false }),
  },
  secretAnswer: 'Unmask',
  returns: 'item',
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: '1-core §2, §4',
});

const parameterFields = { ParameterXml: f.xml({ doc: 'The parameters of the call.' }) };

export const run = handle(operation, async (ctx, { ID, Unmask }) => {
  const row = namedRow(ctx, ctx.record);
  const ParameterXml = await parameterXml(ctx, ID, Unmask);
  const { shape } = item(ctx.record.name, parameterFields, {});
  return {
    kind: 'item',
    name: ctx.record.name,
    shape: [...shapeOf(ctx.record), ...shape],
    row: { ...row, ParameterXml },
  };
});

async function parameterXml(ctx: Context, id: number, unmask: boolean): Promise<string | null> {
  if (unmask && !ctx.user.permissions.has('UnmaskSSN'))
    throw new PlatformError('NO_PERMISSION', {
      field: 'Unmask',
      message:
        `Unmask: the parameters of ImportFileQueue ${id} may contain protected numbers; this requires the ` +
        'permission UnmaskSSN.',
    });
  const [stored] = await ctx.db.query<{ sealed: string | null }>(
    'select parameterxml as sealed from importfilequeue where importfilequeueid = $1::bigint',
    [id],
  );
  const sealed = stored?.sealed ?? null;
  if (sealed === null) return null;
  if (unmask) await ctx.security({ event: 'ParametersUnmasked', object: 'ImportFileQueue', objectId: id });
  const xml = openText(ctx.cipher, 'importfilequeue', 'parameterxml', sealed);
  return unmask ? xml : maskParameterXml(ctx.registry, xml);
}
