import type { Context } from '../../../../kernel/door/context.ts';
import { didYouMean, namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { findTemplate, templateById, type Template } from '../../../../kernel/records/save/template.ts';
import { ruleException } from './matrix-decision.ts';
import { notFoundText } from '../../../../kernel/records/search/read.ts';

/** A template with the record types of the template and of its instances. */
export interface CaseTemplate {
  readonly of: RecordType;
  readonly instance: RecordType;
  readonly template: Template;
}

/** A kind of template whose instances belong to records. */
interface TemplateKind {
  readonly of: RecordType;
  readonly instance: RecordType;
}

/** Returns the kinds of templates whose instances can belong to a case. */
function caseTemplateKinds(ctx: Context): readonly TemplateKind[] {
  return ctx.registry.records().flatMap((instance): TemplateKind[] => {
    const of =
      instance.template === undefined || instance.parent === undefined
        ? undefined
        : ctx.registry.record(instance.template);
    return of ? [{ of, instance }] : [];
  });
}

/**
 * Returns the kinds that a class names, by the templates' type or their instances'. @throws BAD_PARAMETER with the
 * nearest names
 */
export function requireTemplateKinds(
  ctx: Context,
  className: string | undefined,
  field: string,
): readonly TemplateKind[] {
  const kinds = caseTemplateKinds(ctx);
  if (className === undefined) return kinds;
  const named = kinds.filter(({ of, instance }) =>
    [of.name, instance.name].some((name) => name.toLowerCase() === className.trim().toLowerCase()),
  );
  if (named.length > 0) return named;
  const known = kinds.map(({ of }) => of.name);
  throw new PlatformError('BAD_PARAMETER', {
    field,
    message:
      `${field}: expected a class of templates whose instances are records of a ` +
      `case.${didYouMean(className, known)} Known: ${known.join(', ')}.`,
  });
}

/** Returns the templates with a name among some kinds, for a parent's class. */
export async function findTemplatesByName(
  ctx: Context,
  kinds: readonly TemplateKind[],
  name: string,
  parentClass: string,
): Promise<readonly CaseTemplate[]> {
  const found: CaseTemplate[] = [];
  for (const kind of kinds) {
    const template = await findTemplate(ctx, kind.of, { name, parentClass, field: 'Template' }).catch(noneWhenUnknown);
    if (template) found.push({ ...kind, template });
  }
  return found;
}

function noneWhenUnknown(error: unknown): undefined {
  if (error instanceof PlatformError && error.code === 'BAD_PARAMETER') return undefined;
  throw error;
}

/**
 * Returns the template that an Object output refers to. @throws RULE_EXCEPTION if it refers to something else or
 * nothing
 */
export async function requireReferencedTemplate(
  ctx: Context,
  kinds: readonly TemplateKind[],
  points: { readonly object: string; readonly id: number },
  label: string,
): Promise<CaseTemplate> {
  const kind = kinds.find(({ of }) => of.name.toLowerCase() === points.object.toLowerCase());
  if (!kind)
    throw ruleException(
      `${label} points to a record of the type ${points.object}; expected a template ` +
        `(${kinds.map(({ of }) => of.name).join(', ')}) or a Matrix.`,
    );
  const template = await templateById(ctx, kind.of, points.id, label).catch((error: unknown) => {
    if (error instanceof PlatformError) throw ruleException(`${label}: ${notFoundText(kind.of, points.id)}`);
    throw error;
  });
  return { ...kind, template };
}

/** Returns the error for a name that is neither a template's nor a matrix's. */
export async function unknownTemplate(
  ctx: Context,
  kinds: readonly TemplateKind[],
  name: string,
  label: string,
): Promise<PlatformError> {
  const known = new Set<string>();
  for (const { of } of kinds)
    for (const row of await ctx.db.query<{ name: string | null }>(
      `select ${of.table} as name from ${of.table} order by ${of.table}id limit 10000`,
    ))
      if (row.name !== null) known.add(row.name);
  return ruleException(
    `${label}: there is no ${kinds.length === 1 ? kinds[0]?.of.name : 'template'} or matrix ` +
      `"${name.slice(0, 100)}".${namesHint(name, known)}`,
  );
}
