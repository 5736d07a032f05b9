import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { isPolling, planOfVersion, type PlannedStep } from '../template/plan.ts';
import { advance, type PassResult } from './advance.ts';
import { CaseValues } from './case-values.ts';
import { startsFromQueue } from './queue-step.ts';
import type { PassCommand } from './pass-command.ts';
import { runStep, stepError, type StepOutcome, type StepRun } from './run-step.ts';
import { lockDecisions, type StepStatus } from './stored-steps.ts';

/** Who starts a step: a person now, or the queue, which comes again for a step whose first start was cut off. */
export type Starter = 'person' | 'queue';

/** After so long a step that a person has started counts as cut off: nothing else comes for it. The queue comes again by itself. */
const CUT_OFF_MINUTES = 60;

type BegunStep = Omit<StepRun, 'ctx' | 'values'>;

/**
 * Starts a step now, or again. What makes a record or asks a stylesheet does so in one transaction with the pass that follows. An
 * operation runs outside of it: the step is noted as started, with the queued message that it is started for, the operation commits by
 * itself, and then the step is settled. Cut off in between it is called again by that message's next delivery; whoever else comes
 * meanwhile finds it running.
 */
export async function startStep(
  ctx: Context,
  decisionId: number,
  stepId: number,
  starter: Starter,
): Promise<PlatformError | undefined> {
  const first = await ctx.inTransaction((own) => beginStep(own, decisionId, stepId, starter));
  if (!first.begun) return first.before?.failure;
  const { before, begun, of } = first;
  let outcome: StepOutcome;
  try {
    outcome = await ctx.actingAs('Workflow', (own) =>
      runStep({ ...begun, ctx: own, values: new CaseValues(own, of.object, of.objectId), isOutsidePass: true }),
    );
  } catch (error) {
    const failure = await recordOutcome(ctx, decisionId, stepId, failureCommand(stepId, stepError(error)));
    return before.failure ?? failure;
  }
  try {
    const failure = await recordOutcome(ctx, decisionId, stepId, { kind: 'settle', id: stepId, outcome });
    return before.failure ?? failure;
  } catch (error) {
    // Such as a status of the case that a rule refuses: the step has failed, and does not stay as if it were running.
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE' || error.code === 'UNAVAILABLE')
      throw error;
    return recordOutcome(ctx, decisionId, stepId, failureCommand(stepId, error));
  }
}

function failureCommand(stepId: number, error: PlatformError): PassCommand {
  return { kind: 'fail', ids: [stepId], error, suppressNotification: false };
}

/**
 * Notes what the work of a step came to. Where the workflow was put on hold meanwhile nothing can be noted, and the step waits to be called
 * again when the hold ends, as one that was cut off.
 */
async function recordOutcome(
  ctx: Context,
  decisionId: number,
  stepId: number,
  command: PassCommand,
): Promise<PlatformError | undefined> {
  return ctx.inTransaction(async (own) => {
    const { result, failure } = await advance(own, decisionId, [command]);
    if (result === 'held')
      await own
        .transaction()
        .elevated((db) =>
          db.query(
            `update decisionstep set status = 'Queued', queuemessageid = null, updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1 where decisionstepid = $1::bigint and status = 'Started'`,
            [stepId, own.clock.now(), own.user.personId],
          ),
        );
    return failure;
  });
}

interface PassAttempt {
  readonly before?: PassResult;
  readonly begun?: undefined;
}
interface OutsideStart {
  readonly before: PassResult;
  readonly begun: BegunStep;
  readonly of: StepRow;
}

/** Starts a step within the pass, or notes that its work begins outside of it: looked at and noted under one lock, so that one caller does. */
async function beginStep(
  own: Context,
  decisionId: number,
  stepId: number,
  starter: Starter,
): Promise<PassAttempt | OutsideStart> {
  const found = await own.actingAs('Workflow', (workflow) => inspectStep(workflow, decisionId, stepId, starter));
  if (found === 'nothing') return {};
  if (found === 'within') return { before: await advance(own, decisionId, [{ kind: 'start', ids: [stepId] }]) };
  let begun: BegunStep | undefined;
  const before = await advance(own, decisionId, [
    {
      kind: 'begin',
      id: stepId,
      messageId: own.messageId ?? null,
      onBegun: (run) => {
        begun = run;
      },
    },
  ]);
  return begun ? { before, begun, of: found } : { before };
}

interface StepRow extends Record<string, unknown> {
  readonly status: StepStatus | null;
  readonly canceled: boolean;
  readonly ended: boolean;
  readonly delayed: boolean;
  readonly template: number;
  readonly version: number;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly message: string | null;
  readonly start: string | null;
}

/** Whether a step may be started, and whether within the pass or outside of it. The workflow's row is locked, so that one caller at a time looks. */
async function inspectStep(
  own: Context,
  decisionId: number,
  stepId: number,
  starter: Starter,
): Promise<'nothing' | 'within' | StepRow> {
  await lockDecisions(own.db, [decisionId]);
  const [row] = await own.db.query<StepRow>(
    `select s.status, s.canceleddate is not null as canceled, d.actualcompletion is not null or d.canceleddate is not null as ended, coalesce(d.delayed, false) as delayed, s.decisionsteptemplateid as template,
       d.decisiontemplateversionid as version, d.object, d.objectid as "objectId", s.queuemessageid as message, s.actualstart as start from decisionstep s join decision d using (decisionid) where s.decisionstepid = $1::bigint and d.decisionid = $2::bigint`,
    [stepId, decisionId],
  );
  if (!row)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: `There is no DecisionStep ${stepId} within reach.` });
  const plan = await planOfVersion(own.configuration, own.db, row.version);
  const step = plan.steps[plan.places.get(row.template) ?? -1];
  const refusal = refusalOf(row, step, plan.enforceDelay) ?? (isRunning(own, row) ? 'is running' : undefined);
  if (refusal === undefined && step) return isOutside(own, step);
  if (starter === 'person')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: the step ${stepId} ${refusal ?? 'is not in the version of the template that the workflow goes by'}.`,
    });
  // A call that comes while the workflow is on hold is made anew when the hold ends.
  if (row.delayed && !row.ended)
    await own.db.query(
      'update decisionstep set queuemessageid = null where decisionstepid = $1::bigint and actualcompletion is null',
      [stepId],
    );
  return 'nothing';

  async function isOutside(ctx: Context, planned: PlannedStep): Promise<'within' | StepRow> {
    return planned.operation !== null && (await startsFromQueue(ctx, planned)) && row ? row : 'within';
  }
}

/** Why a step is not started, or undefined where it is. */
function refusalOf(
  { status, canceled, ended, delayed }: StepRow,
  step: PlannedStep | undefined,
  enforceDelay: boolean,
): string | undefined {
  if (canceled) return 'is canceled';
  if (ended) return 'is of a workflow that is complete or canceled';
  if (delayed && enforceDelay) return 'is of a workflow that is on hold';
  if (status === 'Complete') return 'is complete';
  if (status === 'Pending' && !(step && isPolling(step))) return 'waits for what it has made to be complete';
  return undefined;
}

/** Whether somebody else works on a step. What a queued message has started is that message's, which is delivered until it is done. */
function isRunning({ clock, messageId }: Context, { status, message, start }: StepRow): boolean {
  if (status !== 'Started') return false;
  if (message !== null) return message !== messageId;
  return start !== null && clock.milliseconds() - Date.parse(start) < CUT_OFF_MINUTES * 60_000;
}
