import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import {
  lookUpDecision,
  parseMatrixReference,
  matrixLabel,
  ruleException,
  type Case,
  type MatrixReference,
} from './matrix-decision.ts';
import {
  requireTemplateKinds,
  requireReferencedTemplate,
  findTemplatesByName,
  unknownTemplate,
  type CaseTemplate,
} from './case-templates.ts';

/** What to evaluate. */
export interface EvaluationRequest {
  readonly matrix: string;
  readonly measure: string | undefined;
  readonly templateClass: string | undefined;
}

/** The template that matrices chose for a case, and the matrices looked up in turn. */
export interface EvaluationResult extends CaseTemplate {
  readonly chain: readonly string[];
}

/**
 * Looks up a matrix, and those that it names in turn, until one names a template.
 * @throws CHAIN_TOO_DEEP if matrices form a circle or exceed the setting MatrixRecursion; RULE_EXCEPTION, naming matrix
 * and output, if nothing is decided
 */
export async function evaluate(
  ctx: Context,
  of: Case,
  { matrix, measure, templateClass }: EvaluationRequest,
): Promise<EvaluationResult> {
  const kinds = requireTemplateKinds(ctx, templateClass, 'TemplateClass');
  const deepest = recursionMax(ctx);
  const evaluated = new Map<number, string>();
  let named: MatrixReference = parseMatrixReference(matrix);
  for (;;) {
    // The lookup itself reports a matrix that does not exist.
    const { id: key, name } = (await findMatrix(ctx, named)) ?? { id: 0, name: matrixLabel(named) };
    const chain = [...evaluated.values(), name];
    if (evaluated.has(key))
      throw new PlatformError('CHAIN_TOO_DEEP', {
        field: 'Matrix',
        message: `Circular reference between matrices: ${chain.join(' > ')}.`,
        details: { Chain: chain },
      });
    if (evaluated.size > deepest)
      throw new PlatformError('CHAIN_TOO_DEEP', {
        field: 'Matrix',
        message:
          `Matrices refer to each other more than ${deepest} levels deep (the setting MatrixRecursion): ` +
          `${chain.join(' > ')}.`,
        details: { Chain: chain },
      });
    const decided = await lookUpDecision(ctx, { matrix: named, measure, isFirst: evaluated.size === 0 }, of);
    evaluated.set(key, name);
    const label = `${name}, output ${decided.measure}`;
    const { points } = decided;
    if (points && points.object.toLowerCase() !== 'matrix')
      return { ...(await requireReferencedTemplate(ctx, kinds, points, label)), chain };
    const found = points ? [] : await findTemplatesByName(ctx, kinds, decided.text, of.record.name);
    const [only, ...more] = found;
    if (only && more.length === 0) return { ...only, chain };
    if (only)
      throw ruleException(
        `${label}: "${decided.text.slice(0, 100)}" is the name of a ` +
          `${found.map((each) => each.of.name).join(' and of a ')}; send TemplateClass.`,
      );
    const next = points ?? (decided.text === '' ? undefined : await findMatrix(ctx, { Matrix: decided.text }));
    if (!next) throw await unknownTemplate(ctx, kinds, decided.text, label);
    named = { ID: next.id };
  }
}

/** Returns the setting MatrixRecursion. It belongs to another area and is found by its name. */
function recursionMax(ctx: Context): number {
  const definition = ctx.registry.settings.find(({ name }) => name === 'MatrixRecursion');
  if (!definition) throw new Error('there is no setting MatrixRecursion');
  return Number(ctx.settings.get(definition));
}

/** Returns the id and name of a matrix, or undefined if there is none. */
async function findMatrix(
  ctx: Context,
  named: MatrixReference,
): Promise<{ readonly id: number; readonly name: string } | undefined> {
  try {
    const { root } = await ctx.call('matrix/columns', named);
    const id = root.attributes.MatrixID;
    return { id, name: root.attributes.Matrix };
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
