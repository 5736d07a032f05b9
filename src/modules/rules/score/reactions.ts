import { safeName, valueTypes } from '../../../contracts/score-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { nearest } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { checkSignature } from '../../../kernel/door/signature.ts';
import { requireDefinition, itemDefinition, SCORE_ITEMS_MAX } from './lib/score-definition.ts';
import { requireEngine } from './lib/run-engine.ts';
import { METHOD_PARAMETERS } from './lib/score-input.ts';
import { assertMask } from './lib/mask.ts';
import { assertSafeName } from './lib/item-names.ts';
import { sealValues } from './lib/sealed-value.ts';
import {
  columnNames,
  columnOf,
  parseConfidence,
  parseEnumeration,
  parseValueType,
  valueColumns,
} from './lib/score-value.ts';

export const checks = defineChecks([
  {
    on: 'ScoreTemplate',
    doc:
      'The engine of a scorecard is registered and accepts its EngineParameters; its Method names an existing ' +
      'operation and parameters; its ValueType is a value type, by name or code.',
    async run(ctx, _record, values, id) {
      setValueType(values);
      const method = values.get('method');
      if (typeof method === 'string' && method.trim() !== '' && method.trim().toLowerCase() !== METHOD_PARAMETERS)
        await checkSignature(ctx, method, { field: 'Method' });
      if (!values.has('scoreengine') && !values.has('engineparameters')) return;
      const before = id === undefined ? undefined : await storedEngine(ctx, id);
      const engine = values.has('scoreengine') ? values.get('scoreengine') : before?.scoreengine;
      const parameters = values.has('engineparameters') ? values.get('engineparameters') : before?.engineparameters;
      if (typeof engine === 'string' && engine.trim() !== '')
        requireEngine(ctx, engine.trim()).check(typeof parameters === 'string' ? parameters : '');
    },
  },
  {
    on: 'ScoreItemTemplate',
    doc:
      'An item has a value type, a unique safe name, an Enumeration if it is Enumerated, a Mask that hides ' +
      'something, an existing permission and a valid XPath.',
    async run(ctx, _record, values, id) {
      setValueType(values);
      const before = id === undefined ? undefined : await storedItem(ctx, id);
      if (values.has('scoreitemtemplate') || values.has('scoretemplateid')) await setSafeName(ctx, values, id, before);
      if (values.has('valuetype') || values.has('enumeration')) assertEnumeration(values, before);
      const { mask, weight, permission, xpath } = {
        mask: values.get('mask'),
        weight: values.get('weight'),
        permission: values.get('unmaskpermission'),
        xpath: values.get('xpath'),
      };
      if (typeof mask === 'string') assertMask(mask);
      if (typeof weight === 'string' && weight.startsWith('-')) throw bad('Weight', 'a number that is not negative');
      if (typeof permission === 'string') assertPermission(ctx, permission);
      if (typeof xpath === 'string' && xpath.trim() !== '') await ctx.sandbox.checkXPath([xpath]);
      if (before) await assertNoValues(ctx, Number(id), values, before);
    },
  },
  {
    on: 'Score',
    doc: "A score's value is in the column of its template's ValueType, and its confidence is from 0 to 1.",
    async run(ctx, _record, values, id) {
      if (typeof values.get('confidence') === 'string')
        parseConfidence(values.get('confidence') as string, 'Confidence');
      const filled = valueColumns.filter((column) => (values.get(column) ?? null) !== null);
      if (filled.length === 0) return;
      const sent =
        values.get('scoretemplateid') ??
        (id === undefined
          ? undefined
          : (
              await ctx.db.query<{ at: number | null }>(
                'select scoretemplateid as at from score where scoreid = $1::bigint',
                [id],
              )
            )[0]?.at);
      if (typeof sent !== 'number') return;
      const { valueType, name } = await requireDefinition(ctx, sent);
      const own = valueType && columnOf[valueType];
      const stray = own && filled.find((column) => column !== own);
      if (stray)
        throw bad(columnNames[stray], `nothing: ${name} is ${valueType}; send its value in ${columnNames[own]}`);
    },
  },
  {
    on: 'ScoreItem',
    doc:
      "An item's value is in the column of its ValueType, is one of its Enumeration, and is sealed if it has a " +
      'Mask. Its confidence is from 0 to 1.',
    async run(ctx, _record, values, id) {
      if (typeof values.get('confidence') === 'string')
        parseConfidence(values.get('confidence') as string, 'Confidence');
      const before =
        id === undefined
          ? undefined
          : (
              await ctx.db.query<{ at: number | null }>(
                'select scoreitemtemplateid as at from scoreitem where scoreitemid = $1::bigint',
                [id],
              )
            )[0];
      const sent = values.get('scoreitemtemplateid');
      if (before && sent !== undefined && sent !== before.at)
        throw new PlatformError('STATE_REFUSES', {
          field: 'ScoreItemTemplateID',
          message:
            'ScoreItemTemplateID: the template of an item cannot be changed, since its value would be read ' +
            'with another type. Create another item.',
        });
      const at = before ? before.at : sent;
      const item = typeof at === 'number' ? await itemDefinition(ctx, at) : undefined;
      if (!item) return;
      if (id === undefined && !values.has('scoreitem')) values.set('scoreitem', item.name);
      sealValues(ctx, item, values);
    },
  },
]);

interface StoredEngine {
  readonly scoreengine: string | null;
  readonly engineparameters: string | null;
}

async function storedEngine(ctx: Context, id: number): Promise<StoredEngine | undefined> {
  const [row] = await ctx.db.query<StoredEngine & Record<string, unknown>>(
    'select scoreengine, engineparameters from scoretemplate where scoretemplateid = $1::bigint',
    [id],
  );
  return row;
}

function assertEnumeration(values: ReadonlyMap<string, unknown>, before: StoredItem | undefined): void {
  const type = values.has('valuetype') ? values.get('valuetype') : before?.valuetype;
  const allowed = values.has('enumeration') ? values.get('enumeration') : before?.enumeration;
  if (type === 'Enumerated' && parseEnumeration((allowed ?? null) as string | null).length === 0)
    throw bad(
      'Enumeration',
      'the allowed values, one per line or separated by | or commas, since the item is Enumerated',
    );
}

/** Stores a ValueType by name, with its code. */
function setValueType(values: Map<string, unknown>): void {
  if (!values.has('valuetype')) return;
  const sent = values.get('valuetype');
  const type = typeof sent === 'string' && sent.trim() !== '' ? parseValueType(sent) : null;
  values.set('valuetype', type).set('valuetypecode', type === null ? null : valueTypes.indexOf(type));
}

interface StoredItem {
  readonly scoretemplateid: number;
  readonly scoreitemtemplate: string | null;
  readonly valuetype: string | null;
  readonly enumeration: string | null;
  readonly mask: string | null;
}

async function storedItem(ctx: Context, id: number): Promise<StoredItem | undefined> {
  const [row] = await ctx.db.query<StoredItem>(
    `select scoretemplateid, scoreitemtemplate, valuetype, enumeration, mask
     from scoreitemtemplate
     where scoreitemtemplateid = $1::bigint`,
    [id],
  );
  return row;
}

/** Sets an item's safe name, unique in its template. A unique key catches two concurrent inserts. */
async function setSafeName(
  ctx: Context,
  values: Map<string, unknown>,
  id: number | undefined,
  before: StoredItem | undefined,
): Promise<void> {
  const name = (values.has('scoreitemtemplate') ? values.get('scoreitemtemplate') : before?.scoreitemtemplate) ?? '';
  const template = values.get('scoretemplateid') ?? before?.scoretemplateid;
  const safe = safeName(typeof name === 'string' ? name : '');
  values.set('safename', safe);
  const others =
    typeof template === 'number'
      ? await ctx.db.query<{ name: string; safe: string }>(
          `select scoreitemtemplate as name, safename as safe
           from scoreitemtemplate
           where scoretemplateid = $1::bigint and scoreitemtemplateid is distinct from $2::bigint`,
          [template, id ?? null],
        )
      : [];
  if (id === undefined && others.length >= SCORE_ITEMS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ScoreTemplateID',
      message: `ScoreTemplateID: a scorecard has at most ${SCORE_ITEMS_MAX} items.`,
    });
  assertSafeName(ctx, safe, others);
}

function assertPermission(ctx: Context, name: string): void {
  const known = ctx.registry.permissions();
  if (known.some((one) => one.toLowerCase() === name.trim().toLowerCase())) return;
  throw bad('UnmaskPermission', `the name of a permission; nearest: ${nearest(name, known).join(', ') || 'UnmaskSSN'}`);
}

/**
 * Refuses a new Mask or ValueType once there are values. The database refuses it too, for a value written concurrently;
 * this check explains why.
 */
async function assertNoValues(
  ctx: Context,
  id: number,
  values: ReadonlyMap<string, unknown>,
  before: StoredItem,
): Promise<void> {
  const changed = (['mask', 'valuetype'] as const).find(
    (column) => values.has(column) && (values.get(column) ?? null) !== before[column],
  );
  if (changed === undefined) return;
  const [used] = await ctx.db.query('select 1 from scoreitem where scoreitemtemplateid = $1::bigint limit 1', [id]);
  const field = changed === 'mask' ? 'Mask' : 'ValueType';
  if (used)
    throw new PlatformError('STATE_REFUSES', {
      field,
      message: `${field}: the item has values, which would be unmasked or in the wrong column; create another item.`,
    });
}
