import { list, type ListAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import { forStaff } from '../../../../kernel/declare/record.ts';
import { isOpenStep } from '../../lib/open.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';

/** The fields of a step's status. */
export const stepStatusFields = {
  DecisionStepID: required(f.id({ doc: 'The step.' })),
  DecisionID: required(f.id({ doc: 'Its workflow.' })),
  DecisionStep: f.text({ doc: 'Its name.' }),
  Status: f.text({ doc: 'The status.' }),
  IsTrue: f.boolean({ doc: 'The result it completed with.' }),
  ActualCompletion: f.timestamp({ doc: 'When it was completed.' }),
  ErrorGUID: f.text({ doc: 'Finds its failure in the error log.' }),
  ErrorMessage: f.staff({ doc: 'The error message.' }),
};

/** A row of {@link stepStatusFields}. */
export interface StepStatusRow {
  readonly DecisionStepID: number;
  readonly DecisionID: number;
  readonly DecisionStep: string | null;
  readonly Status: string | null;
  readonly IsTrue: boolean | null;
  readonly ActualCompletion: string | null;
  readonly ErrorGUID: string | null;
  readonly ErrorMessage: string | null;
}

/** A step as it is read: its status, and whether it waits for a task or a workflow. */
export interface StepRow extends StepStatusRow {
  readonly isWaiting: boolean;
}

/** Reads steps, by ID. */
export async function readSteps(ctx: Context, ids: readonly number[]): Promise<readonly StepRow[]> {
  return ctx.db.query<StepRow>(
    `select decisionstepid as "DecisionStepID", decisionid as "DecisionID", decisionstep as "DecisionStep",
       status as "Status", istrue as "IsTrue", actualcompletion as "ActualCompletion", errorguid as "ErrorGUID",
       ${forStaff('errormessage')} as "ErrorMessage",
       ${isOpenStep()} and objectid is not null and coalesce(object in ('ImportForm', 'Decision'), false) as "isWaiting"
     from decisionstep
     where decisionstepid = any($1::bigint[])
     order by decisionstepid`,
    [arrayLiteral(ids)],
  );
}

/** Returns the status of steps as an answer. */
export async function stepStatusList(ctx: Context, ids: readonly number[]): Promise<ListAnswer<StepStatusRow>> {
  return list('DecisionStep', stepStatusFields, await readSteps(ctx, ids));
}
