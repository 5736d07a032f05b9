import type { Context } from '../../../kernel/context.ts';
import { PlatformError } from '../../../kernel/errors.ts';
import { decide, matrixNamed, nameOf, ruleException, type Case, type NamedMatrix } from './decide.ts';
import { kindsNamed, templatePointed, templatesNamed, unknownTemplate, type FoundTemplate } from './template-of.ts';

/** What an evaluation is asked for. */
export interface Asked {
  readonly matrix: string;
  readonly measure: string | undefined;
  readonly templateClass: string | undefined;
}

/** The template that matrices decide on for a case, and the matrices that were asked in turn. */
export interface Evaluated extends FoundTemplate {
  readonly chain: readonly string[];
}

/**
 * Asks a matrix, and those that it leads to, until one names a template. @throws CHAIN_TOO_DEEP where they lead round in a circle or on
 * beyond the setting MatrixRecursion; RULE_EXCEPTION naming matrix and output where nothing is decided
 */
export async function evaluate(ctx: Context, of: Case, { matrix, measure, templateClass }: Asked): Promise<Evaluated> {
  const kinds = kindsNamed(ctx, templateClass, 'TemplateClass');
  const deepest = recursionMax(ctx);
  const asked = new Map<string, string>();
  let named: NamedMatrix = matrixNamed(matrix);
  for (;;) {
    const key = await keyOf(ctx, named);
    const chain = [...asked.values(), key.name];
    if (asked.has(key.id)) throw new PlatformError('CHAIN_TOO_DEEP', { field: 'Matrix', message: `Matrices lead round in a circle: ${chain.join(' > ')}.`, details: { Chain: chain } });
    if (asked.size > deepest) throw new PlatformError('CHAIN_TOO_DEEP', { field: 'Matrix', message: `Matrices lead on more than ${deepest} deep (the setting MatrixRecursion): ${chain.join(' > ')}.`, details: { Chain: chain } });
    const decided = await decide(ctx, named, of, measure, asked.size === 0);
    asked.set(key.id, key.name);
    const said = `${key.name}, output ${decided.measure}`;
    const { points } = decided;
    if (points && points.object.toLowerCase() !== 'matrix') return { ...(await templatePointed(ctx, kinds, points, said)), chain };
    const found = points ? [] : await templatesNamed(ctx, kinds, decided.text, of.record.name);
    const [only, ...more] = found;
    if (only && more.length === 0) return { ...only, chain };
    if (only) throw ruleException(`${said}: "${decided.text.slice(0, 100)}" is the name of a ${found.map((each) => each.of.name).join(' and of a ')}; send TemplateClass.`);
    const next = points ? { ID: points.id } : await matrixCalled(ctx, decided.text);
    if (!next) throw await unknownTemplate(ctx, kinds, decided.text, said);
    named = next;
  }
}

/** The setting is the matrices' own; it is known by its name. */
function recursionMax(ctx: Context): number {
  const definition = ctx.registry.settings.find(({ name }) => name === 'MatrixRecursion');
  if (!definition) throw new Error('there is no setting MatrixRecursion');
  return Number(ctx.settings.get(definition));
}

/** What tells a matrix from others in whatever way it is named, and its name. One that is not there is told by the lookup. */
async function keyOf(ctx: Context, named: NamedMatrix): Promise<{ readonly id: string; readonly name: string }> {
  const [row] = 'ID' in named
    ? await ctx.db.query<{ id: number; name: string | null }>('select matrixid as id, matrix as name from matrix where matrixid = $1::bigint', [named.ID])
    : await ctx.db.query<{ id: number; name: string | null }>('select matrixid as id, matrix as name from matrix where matrix = $1::text', [named.Matrix]);
  return row ? { id: String(row.id), name: row.name ?? `Matrix ${row.id}` } : { id: nameOf(named), name: nameOf(named) };
}

async function matrixCalled(ctx: Context, name: string): Promise<NamedMatrix | undefined> {
  const [row] = await ctx.db.query<{ id: number }>('select matrixid as id from matrix where matrix = $1::text', [name]);
  return row && { ID: row.id };
}
