import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { safeName, valueTypes } from '../../../contracts/score-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { inlineHint, PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkSignature } from '../../../kernel/door/signature.ts';
import { requireDefinition, itemDefinition, SCORE_ITEMS_MAX } from './lib/score-definition.ts';
import { requireEngine } from './lib/run-engine.ts';
import { METHOD_PARAMETERS, methodUse } from './lib/score-input.ts';
import { scheduleReferenceCheck } from './lib/check-references.ts';
import { assertMask } from './lib/mask.ts';
import { assertSafeName } from './lib/item-names.ts';
import { sealValues } from './lib/sealed-value.ts';
import { columnOf, parseConfidence, parseEnumeration, parseValueType, valueColumns } from './lib/score-value.ts';
import { scoreTemplate } from '../scoretemplate/scoretemplate.record.ts';
import { scoreItemTemplate } from '../records/scoreitemtemplate.record.ts';
import { score } from './score.record.ts';
import { scoreItem } from '../scoreitem/scoreitem.record.ts';
import { type Values, valueAfter } from '../../../kernel/declare/values.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const checks = [
  defineCheck({
    on: scoreTemplate,
    doc:
      'The engine of a scorecard is registered and accepts its EngineParameters; its Method names an existing ' +
      'operation and parameters; its ValueType is a value type, by name or code.',
    async run(ctx, { values, id }) {
      setValueType(values);
      const method = values.Method;
      if (typeof method === 'string' && method.trim() !== '' && method.trim().toLowerCase() !== METHOD_PARAMETERS)
        await checkSignature(ctx, method, methodUse);
      if (values.ScoreEngine === undefined && values.EngineParameters === undefined) return;
      const before =
        id === undefined
          ? undefined
          : await readColumns(ctx.db, scoreTemplate, id, ['ScoreEngine', 'EngineParameters']);
      const engine = valueAfter(values, before, 'ScoreEngine');
      const parameters = valueAfter(values, before, 'EngineParameters');
      if (typeof engine === 'string' && engine.trim() !== '')
        requireEngine(ctx, engine.trim()).check(typeof parameters === 'string' ? parameters : '');
    },
  }),
  defineCheck({
    on: scoreItemTemplate,
    doc:
      'An item has a value type, a unique safe name, an Enumeration if it is Enumerated, a Mask that hides ' +
      'something, an existing permission and a valid XPath.',
    async run(ctx, { values, id }) {
      setValueType(values);
      const before = id === undefined ? undefined : await readColumns(ctx.db, scoreItemTemplate, id, itemColumns);
      if (values.ScoreItemTemplate !== undefined || values.ScoreTemplateID !== undefined)
        await setSafeName(ctx, values, id, before);
      if (values.ValueType !== undefined || values.Enumeration !== undefined) assertEnumeration(values, before);
      const { mask, weight, permission, xpath } = {
        mask: values.Mask,
        weight: values.Weight,
        permission: values.UnmaskPermission,
        xpath: values.XPath,
      };
      if (typeof mask === 'string') assertMask(mask);
      if (typeof weight === 'string' && weight.startsWith('-')) throw bad('Weight', 'a number that is not negative');
      if (typeof permission === 'string') assertPermission(ctx, permission);
      if (typeof xpath === 'string' && xpath.trim() !== '') await ctx.sandbox.checkXPath([xpath]);
      if (before) await assertNoValues(ctx, Number(id), values, before);
      if (before) await assertMayOpen(ctx, Number(id), values, before);
    },
  }),
  defineCheck({
    on: score,
    doc: "A score's value is in the column of its template's ValueType, and its confidence is from 0 to 1.",
    async run(ctx, { values, id }) {
      if (typeof values.Confidence === 'string') parseConfidence(values.Confidence, 'Confidence');
      const filled = valueColumns.filter((column) => (values[column] ?? null) !== null);
      if (filled.length === 0) return;
      const sent =
        values.ScoreTemplateID ??
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
      if (stray) throw bad(stray, `no value: ${name} is ${valueType}; send its value in ${own}`);
    },
  }),
  defineCheck({
    on: scoreItem,
    doc:
      "An item's value is in the column of its ValueType, is one of its Enumeration, and is sealed if it has a " +
      'Mask. Its confidence is from 0 to 1.',
    async run(ctx, { values, id }) {
      if (typeof values.Confidence === 'string') parseConfidence(values.Confidence, 'Confidence');
      const before =
        id === undefined
          ? undefined
          : (
              await ctx.db.query<{ at: number | null }>(
                'select scoreitemtemplateid as at from scoreitem where scoreitemid = $1::bigint',
                [id],
              )
            )[0];
      const sent = values.ScoreItemTemplateID;
      if (before && sent !== undefined && sent !== before.at)
        throw new PlatformError('STATE_REFUSES', {
          field: 'ScoreItemTemplateID',
          message:
            'ScoreItemTemplateID: the template of an item cannot be changed, since its value would be read ' +
            'with another type. Create another item.',
        });
      const at = before ? before.at : sent;
      if (typeof values.ChildScoreID === 'number') await assertNotAbove(ctx, values.ChildScoreID, values.ScoreID, id);
      const item = typeof at === 'number' ? await itemDefinition(ctx, at) : undefined;
      if (!item) return;
      if (id === undefined && values.ScoreItem === undefined) values.ScoreItem = item.name;
      sealValues(ctx, item, values);
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: scoreTemplate,
    doc: 'The Method of a scorecard reads its input.',
    calls: (_ctx, { Method }) => (Method === null ? [] : [{ field: 'Method', signature: Method }]),
  }),
];

/** The columns whose change makes {@link checkReferences} look at a scorecard again. */
const referringColumns = ['ScoreEngine', 'EngineParameters', 'RenderID', 'Method', 'AppliesTo'] as const;

export const reactions = [
  defineReaction({
    on: scoreTemplate,
    after: ['insert', 'update'],
    doc:
      'What the engine of a scorecard refers to exists: its matrix, or its workbook. A warning lists the fields in ' +
      'its Method that nothing supplies.',
    async run(ctx, row, change, changed) {
      if (change === 'insert' || referringColumns.some((name) => changed.has(name)))
        scheduleReferenceCheck(ctx, row.ScoreTemplateID);
    },
  }),
];

/** Throws if a nested score is the item's own score or contains it. The database refuses it too, with less to say. */
async function assertNotAbove(
  ctx: Context,
  childScoreId: number,
  sent: number | null | undefined,
  itemId: number | undefined,
): Promise<void> {
  const [circle] = await ctx.db.query(
    `with recursive above(scoreid) as (
       select coalesce($2::bigint, (select scoreid from scoreitem where scoreitemid = $3::bigint))
       union
       select i.scoreid from scoreitem i join above a on i.childscoreid = a.scoreid)
     select from above where scoreid = $1::bigint`,
    [childScoreId, sent ?? null, itemId ?? null],
  );
  if (circle) throw bad('ChildScoreID', 'a score that does not contain this one: a score cannot be part of itself');
}

function assertEnumeration(values: Values<typeof scoreItemTemplate>, before: StoredItem | undefined): void {
  const type = valueAfter(values, before, 'ValueType');
  const allowed = valueAfter(values, before, 'Enumeration') ?? null;
  if (type === 'Enumerated' && parseEnumeration(allowed).length === 0)
    throw bad(
      'Enumeration',
      'the allowed values, one per line or separated by | or commas, since the item is Enumerated',
    );
}

/** Stores a ValueType by name, with its code. */
function setValueType<R extends typeof scoreTemplate | typeof scoreItemTemplate>(save: Values<R>): void {
  // Both have a value type, by name and by code.
  const values = save as unknown as Values<typeof scoreTemplate>;
  if (values.ValueType === undefined) return;
  const sent = values.ValueType;
  const type = typeof sent === 'string' && sent.trim() !== '' ? parseValueType(sent) : null;
  values.ValueType = type;
  values.ValueTypeCode = type === null ? null : valueTypes.indexOf(type);
}

const itemColumns = [
  'ScoreTemplateID',
  'ScoreItemTemplate',
  'ValueType',
  'Enumeration',
  'Mask',
  'UnmaskPermission',
] as const;

type StoredItem = Pick<Row<typeof scoreItemTemplate>, (typeof itemColumns)[number]>;

/** Sets an item's safe name, unique in its template. A unique key catches two concurrent inserts. */
async function setSafeName(
  ctx: Context,
  values: Values<typeof scoreItemTemplate>,
  id: number | undefined,
  before: StoredItem | undefined,
): Promise<void> {
  const name = valueAfter(values, before, 'ScoreItemTemplate') ?? '';
  const template = values.ScoreTemplateID ?? before?.ScoreTemplateID;
  const safe = safeName(name);
  values.SafeName = safe;
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
  throw bad('UnmaskPermission', `the name of a permission${inlineHint(name, known) || ', such as UnmaskSSN'}`);
}

/**
 * Refuses a new Mask or ValueType once there are values. The database refuses it too, for a value written concurrently;
 * this check explains why.
 */
async function assertNoValues(
  ctx: Context,
  id: number,
  values: Values<typeof scoreItemTemplate>,
  before: StoredItem,
): Promise<void> {
  const field = (['Mask', 'ValueType'] as const).find(
    (column) => values[column] !== undefined && (values[column] ?? null) !== before[column],
  );
  if (field === undefined) return;
  const [used] = await ctx.db.query('select 1 from scoreitem where scoreitemtemplateid = $1::bigint limit 1', [id]);
  if (used)
    throw new PlatformError('STATE_REFUSES', {
      field,
      message: `${field}: the item has values, which would be unmasked or in the wrong column; create another item.`,
    });
}

/**
 * Throws NO_PERMISSION where a user who may not unmask an item's stored values would choose who may. Values of an item
 * without a permission are closed to everybody: they take UnmaskSSN.
 */
async function assertMayOpen(
  ctx: Context,
  id: number,
  values: Values<typeof scoreItemTemplate>,
  before: StoredItem,
): Promise<void> {
  const { UnmaskPermission: sent } = values;
  if (sent === undefined || before.Mask === null || sent === before.UnmaskPermission) return;
  const required = (before.UnmaskPermission ?? '').trim();
  const holds = [...ctx.user.permissions].some(
    (name) => name.toLowerCase() === (required === '' ? 'unmaskssn' : required.toLowerCase()),
  );
  if (holds) return;
  const [used] = await ctx.db.query('select 1 from scoreitem where scoreitemtemplateid = $1::bigint limit 1', [id]);
  if (used)
    throw new PlatformError('NO_PERMISSION', {
      field: 'UnmaskPermission',
      message:
        'UnmaskPermission: this change would reveal masked values that you may not see. Only users with ' +
        `${required === '' ? 'UnmaskSSN' : required} may make it; otherwise create another item.`,
    });
}
