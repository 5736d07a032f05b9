import { list, type ListAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import { forStaff } from '../../../../kernel/declare/record.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';

/** Where steps stand. */
export const stepStatusFields = {
  DecisionStepID: required(f.id({ doc: 'The step.' })),
  DecisionID: required(f.id({ doc: 'Its workflow.' })),
  DecisionStep: f.text({ doc: 'Its name.' }),
  Status: f.text({ doc: 'The status.' }),
  IsTrue: f.boolean({ doc: 'The result it completed with.' }),
  ActualCompletion: f.timestamp({ doc: 'When it was completed.' }),
  ErrorGUID: f.text({ doc: 'Finds its failure in the error log.' }),
  ErrorMessage: f.staff({ doc: 'What the failure said.' }),
};

/** A row of {@link stepStatusFields}. */
export interface StepStatusRow extends Record<string, unknown> {
  readonly DecisionStepID: number;
  readonly DecisionID: number;
}

/** Steps as they stand now, in the order of their ids. */
export async function readSteps(ctx: Context, ids: readonly number[]): Promise<readonly StepStatusRow[]> {
  return ctx.db.query<StepStatusRow>(
    `select decisionstepid as "DecisionStepID", decisionid as "DecisionID", decisionstep as "DecisionStep", status as "Status", istrue as "IsTrue", actualcompletion as "ActualCompletion", errorguid as "ErrorGUID", ${forStaff('errormessage')} as "ErrorMessage"
     from decisionstep where decisionstepid = any($1::bigint[]) order by decisionstepid`,
    [arrayLiteral(ids)],
  );
}

/** Locks the workflows of steps before the first of them goes on, in the order in which the engine locks several: the newest first, so that children come before parents. */
export async function lockWorkflows(ctx: Context, ids: readonly number[]): Promise<void> {
  await ctx
    .transaction()
    .elevated((db) =>
      db.query('select 1 from decision where decisionid = any($1::bigint[]) order by decisionid desc for update', [
        arrayLiteral(ids),
      ]),
    );
}

/** Steps as they stand now, as an answer. */
export async function stepStatusList(ctx: Context, ids: readonly number[]): Promise<ListAnswer> {
  return list('DecisionStep', stepStatusFields, await readSteps(ctx, ids));
}
