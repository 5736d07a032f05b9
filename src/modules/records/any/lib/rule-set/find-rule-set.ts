import type { Context } from '../../../../../kernel/door/context.ts';
import { didYouMean, PlatformError } from '../../../../../kernel/door/errors.ts';
import { f } from '../../../../../kernel/declare/field.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';

/** A matrix used as a rule set. */
export interface RuleSet {
  readonly id: number;
  readonly name: string;
  /** The names of its inputs and of those of its child matrices, as lookup parameters. */
  readonly inputs: readonly string[];
}

/** The parameters that name a rule set: all mean the same. */
export const ruleSetParams = {
  RuleSet: f.text({
    doc: 'The matrix, by name or id. RuleSetName, RuleSetMatrix and FromMatrix mean the same; one of them is required.',
    max: 100,
  }),
  RuleSetName: f.text({ doc: 'The same as RuleSet.', max: 100 }),
  RuleSetMatrix: f.text({ doc: 'The same as RuleSet.', max: 100 }),
  FromMatrix: f.text({ doc: 'The same as RuleSet.', max: 100 }),
};

/** Most records per call that are looked up by their summaries, which take about thirty reads each. */
const SUMMARIES_MAX = 1_000;

/**
 * Returns the rule set that a call names, in any of its parameters. @throws MISSING_PARAMETER; BAD_PARAMETER if two are
 * named
 */
export function requireRuleSetName(names: Readonly<Record<string, string | null | undefined>>): string {
  const sent = Object.entries(names).filter(([, value]) => typeof value === 'string' && value.trim() !== '') as [
    string,
    string,
  ][];
  const [first, ...more] = sent;
  if (!first)
    throw new PlatformError('MISSING_PARAMETER', {
      field: Object.keys(names)[0] ?? 'RuleSet',
      message: `${Object.keys(names).join(', ')}: send one of them, with the name or ID of the matrix.`,
    });
  const other = more.find(([, value]) => value.trim().toLowerCase() !== first[1].trim().toLowerCase());
  if (other) throw bad(other[0], `the same rule set as ${first[0]}, or nothing`);
  return first[1].trim();
}

/** Throws if a call has too many records to look up by their summaries. */
export function assertSummaryCount(ids: readonly number[], useSummary: boolean): void {
  if (useSummary && ids.length > SUMMARIES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ID',
      message:
        `ID: at most ${SUMMARIES_MAX} records are looked up by their summaries in one call; without ` +
        'RuleSetUseSummary more are taken.',
    });
}

/**
 * Returns a rule set by name or id; its inputs are cached until configuration changes. @throws NOT_FOUND with the
 * nearest names
 */
export async function findRuleSet(ctx: Context, nameOrId: string, field: string): Promise<RuleSet> {
  return ctx.configuration.get(`rule set ${nameOrId.toLowerCase()}`, async () => {
    const { root } = await ctx
      .call('matrix/columns', /^\d{1,16}$/.test(nameOrId) ? { ID: Number(nameOrId) } : { Matrix: nameOrId })
      .catch((error: unknown) => {
        throw error instanceof PlatformError && error.code === 'NOT_FOUND'
          ? new PlatformError('NOT_FOUND', {
              field,
              message: error.message.replace(/^Matrix: /, `${field}: `),
              cause: error,
            })
          : error;
      });
    const inputs = root.children
      .filter(({ name }) => name === 'Input')
      .map(({ attributes }) => String(attributes?.['Parameter']));
    return { id: root.attributes.MatrixID, name: root.attributes.Matrix, inputs };
  });
}

/** Throws if a call sends a name that is neither a parameter nor an input of the rule set. */
export function assertKnownInputs(ruleSet: RuleSet, sent: Parameters): void {
  const known = new Set(ruleSet.inputs.map((name) => name.toLowerCase()));
  const unknown = Object.keys(sent).find((name) => !known.has(name.toLowerCase()));
  if (unknown === undefined) return;
  throw new PlatformError('UNKNOWN_PARAMETER', {
    field: unknown,
    message:
      `${unknown.slice(0, 100)}: neither a parameter nor an input of ${ruleSet.name}.` +
      `${didYouMean(unknown, ruleSet.inputs)} ` +
      `Inputs: ${ruleSet.inputs.slice(0, 50).join(', ') || 'none'}.`,
  });
}
