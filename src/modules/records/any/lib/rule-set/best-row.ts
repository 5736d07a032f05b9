import type { Row, Shape } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import {
  decideForRecord,
  textOf,
  type DecisionStep,
  type MatrixDecision,
  type Subject,
} from '../../../../rules/public/matrix-decision.ts';
import type { RuleSet } from './find-rule-set.ts';

/** An output of the best row: its text, and the record that an Object output references. */
export interface RuleOutput {
  readonly name: string;
  readonly text: string;
  readonly reference?: { readonly object: string; readonly id: number };
}

/** The best row of a rule set for one record. */
export interface BestRow {
  /** Undefined: the rule set has no rows. */
  readonly mismatches: number | undefined;
  /** Its ranking columns, as a lookup returns them. */
  readonly rank: Row;
  /** The outputs that are not empty; a row that is not eligible has none. */
  readonly outputs: readonly RuleOutput[];
  /** The row that decides, then those of child matrices. */
  readonly steps: readonly DecisionStep[];
  /** The values of the inputs, by parameter name. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** Looks up the best row for a record: by its own fields and the submitted inputs, or by its summary. */
export async function findBestRow(
  ctx: Context,
  subject: Subject,
  { ruleSet, useSummary, sent }: { readonly ruleSet: RuleSet; readonly useSummary: boolean; readonly sent: Parameters },
): Promise<BestRow> {
  const decision = await decideForRecord(
    ctx,
    ruleSet.id,
    subject,
    useSummary ? { kind: 'summary' } : { kind: 'fields', sent },
  );
  const { mismatches, weight, matches, steps, inputs } = decision;
  const rank = {
    Weight: weight === undefined ? undefined : String(weight),
    MatchCount: matches,
    MisMatchCount: mismatches,
  };
  return { mismatches, rank, outputs: outputsOf(decision), steps, inputs };
}

/** Returns the outputs that are not empty. An output is a column with its id and type. */
function outputsOf({ shape, values }: MatrixDecision): RuleOutput[] {
  return outputNames(shape).flatMap((name): RuleOutput[] => {
    const [value, object, id] = [values[name] ?? null, values[`${name}Object`], values[`${name}ObjectID`]];
    const reference = typeof object === 'string' && typeof id === 'number' ? { reference: { object, id } } : {};
    return value === null && !('reference' in reference)
      ? []
      : [{ name, text: value === null ? '' : textOf(value), ...reference }];
  });
}

function outputNames(shape: Shape): string[] {
  const ids = new Set(shape.filter(({ field }) => field.to === 'MatrixMeasure').map(({ name }) => name));
  return shape.map(({ name }) => name).filter((name) => ids.has(`${name}ID`));
}
