import type { Context } from '../../door/context.ts';
import { nearest, PlatformError } from '../../door/errors.ts';
import type { RecordType } from '../../declare/record.ts';
import { isA } from '../../declare/registry.ts';
import type { Db } from '../../database/store.ts';

/** What every template says of its instances. `repeatable`: One, OneActive or Many; `appliesTo`: the class of the parents, empty for any. */
export interface Template {
  readonly id: number;
  readonly name: string;
  readonly appliesTo: string | null;
  readonly repeatable: string | null;
  readonly extranetEnabled: string | null;
}

async function loadTemplates(db: Db, record: RecordType): Promise<readonly Template[]> {
  const { table } = record;
  return db.query<Template>(
    `select ${table}id as id, ${table} as name, appliesto as "appliesTo", repeatable, extranetenabled as "extranetEnabled" from ${table} order by ${table}id`,
  );
}

/** All templates of a type, remembered until configuration changes. */
function templatesOf(ctx: Context, record: RecordType): Promise<readonly Template[]> {
  return ctx.configuration.get(`templates:${record.name}`, () => loadTemplates(ctx.configuration.db, record));
}

/**
 * The template of a name for a parent's class: found without regard to case, one that applies to the class before one that
 * applies to any. An unknown name is an error that lists the nearest ones.
 */
export async function findTemplate(
  ctx: Context,
  record: RecordType,
  name: string,
  parentClass: string | undefined,
  field: string,
): Promise<Template> {
  const remembered = await templatesOf(ctx, record);
  const found = chooseTemplate(ctx, remembered, name, parentClass);
  if (found) return found;
  // Not among the remembered ones: this very transaction may have made it.
  const now = await loadTemplates(ctx.db, record);
  const fresh = chooseTemplate(ctx, now, name, parentClass);
  if (fresh) return fresh;
  const usable = now.filter((t) => templateApplies(ctx, t, parentClass)).map((t) => t.name);
  const near = nearest(name, usable);
  const elsewhere = now.filter((t) => t.name.toLowerCase() === name.toLowerCase()).map((t) => String(t.appliesTo));
  const others = elsewhere.length > 0 ? `, only for ${elsewhere.join(', ')}` : '';
  throw new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: no ${record.name}${parentClass === undefined ? '' : ` for ${parentClass}`} is named "${name.slice(0, 100)}"${others}.${near.length > 0 ? ` Nearest: ${near.join(', ')}.` : ''}`,
  });
}

/** A template by id. */
export async function templateById(ctx: Context, record: RecordType, id: number, field: string): Promise<Template> {
  const found =
    (await templatesOf(ctx, record)).find((t) => t.id === id) ??
    (await loadTemplates(ctx.db, record)).find((t) => t.id === id);
  if (!found)
    throw new PlatformError('BAD_PARAMETER', { field, message: `${field}: there is no ${record.name} ${id}.` });
  return found;
}

function templateApplies(ctx: Context, template: Template, parentClass: string | undefined): boolean {
  if (template.appliesTo === null || parentClass === undefined) return true;
  const parent = ctx.registry.record(parentClass);
  const wanted = ctx.registry.record(template.appliesTo);
  return parent !== undefined && wanted !== undefined && isA(parent, wanted);
}

function chooseTemplate(
  ctx: Context,
  templates: readonly Template[],
  name: string,
  parentClass: string | undefined,
): Template | undefined {
  const named = templates.filter(
    (t) => t.name.toLowerCase() === name.toLowerCase() && templateApplies(ctx, t, parentClass),
  );
  return (
    named.find((t) => t.appliesTo?.toLowerCase() === parentClass?.toLowerCase()) ??
    named.find((t) => t.appliesTo !== null) ??
    named[0]
  );
}
