import type { Context } from '../../door/context.ts';
import { namesHint, PlatformError } from '../../door/errors.ts';
import type { RecordType } from '../../declare/record.ts';
import { isA } from '../../declare/registry.ts';
import type { Db } from '../../database/store.ts';
import { notFoundText } from '../search/read.ts';

/** A template: what every template type says of its instances. */
export interface Template {
  readonly id: number;
  /** Empty for a template that has no name. Nobody can name it. */
  readonly name: string;
  /** The record type of the parents; null for any. */
  readonly appliesTo: string | null;
  /** One, OneActive or Many. */
  readonly repeatable: string | null;
  readonly extranetEnabled: string | null;
}

async function loadTemplates(db: Db, record: RecordType): Promise<readonly Template[]> {
  const { table } = record;
  return db.query<Template>(
    `select ${table}id as id, coalesce(${table}, '') as name, appliesto as "appliesTo", repeatable,
       extranetenabled as "extranetEnabled"
     from ${table} order by ${table}id`,
  );
}

/** Returns all committed templates of a type, cached until configuration changes. */
function templatesOf(ctx: Context, record: RecordType): Promise<readonly Template[]> {
  return ctx.configuration.get(`templates:${record.name}`, () => loadTemplates(ctx.configuration.db, record));
}

/** Returns the committed templates of a type that apply to records of a parent's type. */
export async function templatesFor(
  ctx: Context,
  record: RecordType,
  parentClass: string,
): Promise<readonly Template[]> {
  return (await templatesOf(ctx, record)).filter((template) => templateApplies(ctx, template, parentClass));
}

/** A template named by a caller. */
interface TemplateName {
  readonly name: string;
  /** The record type of the parent, where it is known: only templates that apply to it are found. */
  readonly parentClass: string | undefined;
  /** The parameter, for errors. */
  readonly field: string;
}

/**
 * Finds a template by its name, ignoring case. One that applies to the parent's record type wins over one for any type.
 *
 * @throws BAD_PARAMETER that lists the nearest names, and the record types that the name exists for
 */
export async function findTemplate(ctx: Context, record: RecordType, sought: TemplateName): Promise<Template> {
  const found = chooseTemplate(ctx, await templatesOf(ctx, record), sought);
  if (found) return found;
  // This transaction itself may have inserted it: the cached templates are those that are committed.
  const stored = await loadTemplates(ctx.db, record);
  const inserted = chooseTemplate(ctx, stored, sought);
  if (inserted) return inserted;
  throw unknownTemplate(ctx, record, stored, sought);
}

function unknownTemplate(
  ctx: Context,
  record: RecordType,
  templates: readonly Template[],
  { name, parentClass, field }: TemplateName,
): PlatformError {
  const usable = templates.filter((t) => t.name !== '' && templateApplies(ctx, t, parentClass)).map((t) => t.name);
  const elsewhere = templates.filter((t) => t.name.toLowerCase() === name.toLowerCase()).map((t) => t.appliesTo);
  const forParent = parentClass === undefined ? '' : ` for ${parentClass}`;
  const others = elsewhere.length > 0 ? `, only for ${elsewhere.map(String).join(', ')}` : '';
  return new PlatformError('BAD_PARAMETER', {
    field,
    message:
      `${field}: no ${record.name}${forParent} is named "${name.slice(0, 100)}"${others}.` + namesHint(name, usable),
  });
}

/** Returns a template by id. Throws BAD_PARAMETER, naming the field, where there is none. */
export async function templateById(ctx: Context, record: RecordType, id: number, field: string): Promise<Template> {
  const found =
    (await templatesOf(ctx, record)).find((t) => t.id === id) ??
    (await loadTemplates(ctx.db, record)).find((t) => t.id === id);
  if (!found) throw new PlatformError('BAD_PARAMETER', { field, message: `${field}: ${notFoundText(record, id)}` });
  return found;
}

function templateApplies(ctx: Context, template: Template, parentClass: string | undefined): boolean {
  if (template.appliesTo === null || parentClass === undefined) return true;
  const parent = ctx.registry.record(parentClass);
  const applicable = ctx.registry.record(template.appliesTo);
  return parent !== undefined && applicable !== undefined && isA(parent, applicable);
}

function chooseTemplate(
  ctx: Context,
  templates: readonly Template[],
  { name, parentClass }: TemplateName,
): Template | undefined {
  const named = templates.filter(
    (t) => t.name !== '' && t.name.toLowerCase() === name.toLowerCase() && templateApplies(ctx, t, parentClass),
  );
  return (
    named.find((t) => t.appliesTo?.toLowerCase() === parentClass?.toLowerCase()) ??
    named.find((t) => t.appliesTo !== null) ??
    named[0]
  );
}
