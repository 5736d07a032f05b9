import { valueTypes, type ValueType } from '../../../../contracts/score-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { isA } from '../../../../kernel/declare/registry.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { parseEnumeration } from './score-value.ts';
import { notFoundText } from '../../../../kernel/records/search/read.ts';

/** An item of a scorecard. */
export interface ItemDefinition {
  readonly id: number;
  readonly scoreTemplateId: number;
  readonly name: string;
  readonly safeName: string;
  readonly valueType: ValueType;
  readonly enumeration: readonly string[];
  readonly weight: string | null;
  readonly label: string | null;
  readonly prompt: string | null;
  readonly mask: string | null;
  readonly unmaskPermission: string | null;
  readonly xpath: string | null;
}

/** A scorecard with its items, in order. */
export interface ScoreDefinition {
  readonly id: number;
  readonly name: string;
  readonly appliesTo: string | null;
  readonly engine: string | null;
  readonly method: string;
  readonly parameters: string;
  /** The document that the engine fills in. */
  readonly renderId: number | null;
  readonly valueType: ValueType | undefined;
  readonly items: readonly ItemDefinition[];
}

/** Most items of one scorecard. */
export const SCORE_ITEMS_MAX = 1_000;

interface TemplateRow {
  readonly id: number;
  readonly name: string;
  readonly appliesTo: string | null;
  readonly engine: string | null;
  readonly method: string | null;
  readonly parameters: string | null;
  readonly renderId: number | null;
  readonly code: number | null;
}

interface ItemRow extends Omit<ItemDefinition, 'valueType' | 'enumeration'> {
  readonly code: number | null;
  readonly enumeration: string | null;
}

const itemColumns =
  'scoreitemtemplateid as id, scoretemplateid as "scoreTemplateId", coalesce(scoreitemtemplate, \'\') as ' +
  'name, coalesce(safename, \'\') as "safeName", valuetypecode as code, enumeration, weight, label, prompt, ' +
  'mask, unmaskpermission as "unmaskPermission", nullif(btrim(xpath), \'\') as xpath';

/** Returns a scorecard by its id, cached until configuration changes. @throws BAD_PARAMETER if there is none */
export async function requireDefinition(ctx: Context, id: number): Promise<ScoreDefinition> {
  const found = await findDefinition(ctx, id);
  if (!found)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ScoreTemplateID',
      message: `ScoreTemplateID: ${notFoundText({ name: 'ScoreTemplate' }, id)}`,
    });
  return found;
}

/** Like {@link requireDefinition}; undefined if there is none. */
export async function findDefinition(ctx: Context, id: number): Promise<ScoreDefinition | undefined> {
  const remembered = await ctx.configuration.get(`scoredefinition:${id}`, () =>
    loadDefinition(ctx.configuration.db, id),
  );
  // Not among the committed ones: this transaction may have created it.
  return remembered ?? loadDefinition(ctx.db, id);
}

/** Returns an item of a scorecard by its id, or undefined. */
export async function itemDefinition(ctx: Context, id: number): Promise<ItemDefinition | undefined> {
  const remembered = await ctx.configuration.get(`scoreitemdefinition:${id}`, () => loadItem(ctx.configuration.db, id));
  return remembered ?? loadItem(ctx.db, id);
}

/** Throws if a scorecard does not apply to a record type. @throws BAD_PARAMETER */
export function assertApplies(
  ctx: Pick<Context, 'registry'>,
  { name, appliesTo }: ScoreDefinition,
  scored: string,
): void {
  const [record, expected] = [
    ctx.registry.record(scored),
    appliesTo === null ? undefined : ctx.registry.record(appliesTo),
  ];
  if (record && expected && !isA(record, expected))
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ScoreTemplateID',
      message: `ScoreTemplateID: ${name} is for ${expected.name} records, not for ${record.name}.`,
    });
}

async function loadDefinition(db: Db, id: number): Promise<ScoreDefinition | undefined> {
  const [row] = await db.query<TemplateRow>(
    `select scoretemplateid as id, coalesce(scoretemplate, '') as name, appliesto as "appliesTo",
       nullif(btrim(scoreengine), '') as engine, method, engineparameters as parameters, renderid as "renderId",
       valuetypecode as code
     from scoretemplate
     where scoretemplateid = $1::bigint`,
    [id],
  );
  if (!row) return undefined;
  const items = await db.query<ItemRow>(
    `select ${itemColumns}
     from scoreitemtemplate
     where scoretemplateid = $1::bigint
     order by sequence nulls last, scoreitemtemplateid`,
    [id],
  );
  const { code, method, parameters, ...rest } = row;
  return {
    ...rest,
    method: (method ?? '').trim(),
    parameters: parameters ?? '',
    valueType: code === null ? undefined : valueTypes[code],
    items: items.map(toItemDefinition),
  };
}

async function loadItem(db: Db, id: number): Promise<ItemDefinition | undefined> {
  const [row] = await db.query<ItemRow>(
    `select ${itemColumns} from scoreitemtemplate where scoreitemtemplateid = $1::bigint`,
    [id],
  );
  return row && toItemDefinition(row);
}

function toItemDefinition({ code, enumeration, ...rest }: ItemRow): ItemDefinition {
  return { ...rest, valueType: valueTypes[code ?? -1] ?? 'String', enumeration: parseEnumeration(enumeration) };
}
