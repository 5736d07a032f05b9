import type { Context } from '../../../../kernel/door/context.ts';
import { f, required } from '../../../../kernel/declare/field.ts';

/** Where a workflow stands. */
export const statusSummaryFields = {
  DecisionID: required(f.id({ doc: 'The workflow.' })),
  Decision: f.text({ doc: 'Its name.' }),
  Status: f.text({ doc: 'Where it stands.' }),
  ActualCompletion: f.timestamp({ doc: 'When it was complete.' }),
  CanceledDate: f.timestamp({ doc: 'When it was canceled.' }),
  Delayed: f.boolean({ doc: 'It is on hold.' }),
  StepCount: required(f.integer({ doc: 'How many steps it has so far.' })),
  OpenCount: required(f.integer({ doc: 'How many of them are in progress, wait, or failed.' })),
  ErrorCount: required(f.integer({ doc: 'How many of them failed.' })),
};

/** A row of {@link statusSummaryFields}. */
export interface StatusSummary extends Record<string, unknown> {
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

/** Where a workflow stands now. */
export async function statusSummary(ctx: Context, decisionId: number): Promise<StatusSummary> {
  const [row] = await ctx.db.query<StatusSummary>(
    `select d.decisionid as "DecisionID", d.decision as "Decision", d.status as "Status", d.actualcompletion as "ActualCompletion", d.canceleddate as "CanceledDate", coalesce(d.delayed, false) as "Delayed",
       count(s.decisionstepid)::integer as "StepCount", count(s.decisionstepid) filter (where s.actualcompletion is null and s.canceleddate is null)::integer as "OpenCount", count(s.decisionstepid) filter (where s.status = 'Error')::integer as "ErrorCount"
     from decision d left join decisionstep s using (decisionid) where d.decisionid = $1::bigint group by d.decisionid`,
    [decisionId],
  );
  if (!row) throw new Error(`Decision ${decisionId} was reached but not read`);
  return row;
}
