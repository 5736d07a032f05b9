import { isOpenStep } from '../../lib/open.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f, required } from '../../../../kernel/declare/field.ts';

/** The fields of a workflow's status. */
export const statusSummaryFields = {
  DecisionID: required(f.id({ doc: 'The workflow.' })),
  Decision: f.text({ doc: 'Its name.' }),
  Status: f.text({ doc: 'The status.' }),
  ActualCompletion: f.timestamp({ doc: 'When it was completed.' }),
  CanceledDate: f.timestamp({ doc: 'When it was canceled.' }),
  Delayed: f.boolean({ doc: 'Whether it is on hold.' }),
  StepCount: required(f.integer({ doc: 'Number of steps so far.' })),
  OpenCount: required(f.integer({ doc: 'Number of steps in progress, waiting, or failed.' })),
  ErrorCount: required(f.integer({ doc: 'Number of failed steps.' })),
};

/** A row of {@link statusSummaryFields}. */
export interface StatusSummary {
  readonly DecisionID: number;
  readonly Decision: string | null;
  readonly Status: string | null;
  readonly ActualCompletion: string | null;
  readonly CanceledDate: string | null;
  readonly Delayed: boolean;
  readonly StepCount: number;
  readonly OpenCount: number;
  readonly ErrorCount: number;
}

/** Reads the status of a workflow. */
export async function statusSummary(ctx: Context, decisionId: number): Promise<StatusSummary> {
  const [row] = await ctx.db.query<StatusSummary>(
    `select d.decisionid as "DecisionID", d.decision as "Decision", d.status as "Status",
       d.actualcompletion as "ActualCompletion", d.canceleddate as "CanceledDate",
       coalesce(d.delayed, false) as "Delayed", count(s.decisionstepid)::integer as "StepCount",
       count(s.decisionstepid) filter (
         where ${isOpenStep('s')}
       )::integer as "OpenCount",
       count(s.decisionstepid) filter (where s.status = 'Error')::integer as "ErrorCount"
     from decision d
     left join decisionstep s using (decisionid)
     where d.decisionid = $1::bigint
     group by d.decisionid`,
    [decisionId],
  );
  if (!row) throw new Error(`Workflow ${decisionId} was found but not read`);
  return row;
}
