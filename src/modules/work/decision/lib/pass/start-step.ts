import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { isPolling, planOfVersion, type PlannedStep } from '../template/plan.ts';
import { advance, type PassResult } from './advance.ts';
import { CaseValues } from './case-values.ts';
import { commitsAsWhole } from './call-operation.ts';
import { startsFromQueue } from './queue-step.ts';
import type { FailSteps, SettleStep } from './pass-command.ts';
import { runStep, stepError, type StepOutcome, type StepRun } from './run-step.ts';
import { AttemptReplacedError, beginAttempt, endAttempts, storeOutcome, type StepAttempt } from './step-attempt.ts';
import { lockWorkflows, type StepStatus } from './stored-steps.ts';
import { notFound } from '../../../../../kernel/records/search/read.ts';

/** Who starts a step: a person, or the job queue, which retries an interrupted start. */
export type Starter = 'person' | 'queue';

/** Minutes after which a step that a person started counts as interrupted, since nothing retries it. */
const CUT_OFF_MINUTES = 60;

type BegunStep = Omit<StepRun, 'ctx' | 'values'>;

/**
 * Starts a step now, or again. Creating a record or evaluating a stylesheet shares one transaction with the following
 * pass. An operation runs outside: the step is stored as started, with its queued message; the operation commits
 * together with its outcome; then a pass records that outcome in the step. After an interruption the next delivery of
 * the message continues where the last one ended; other callers find the step running. An operation that opens its own
 * transactions cannot commit with its outcome, and is called again.
 */
export async function startStep(
  ctx: Context,
  decisionId: number,
  stepId: number,
  starter: Starter,
): Promise<PlatformError | undefined> {
  const first = await ctx.inTransaction((own) => beginStep(own, decisionId, stepId, starter));
  if (!first.begun) return first.before?.failure;
  const { before } = first;
  let outcome: StepOutcome;
  try {
    outcome = first.attempt.outcome ?? (await runOutside(ctx, stepId, first));
  } catch (error) {
    if (error instanceof AttemptReplacedError) return before.failure;
    const failure = await recordOutcome(ctx, decisionId, failureCommand(stepId, stepError(error)));
    return before.failure ?? failure;
  }
  try {
    const failure = await recordOutcome(ctx, decisionId, { kind: 'settle', id: stepId, outcome });
    return before.failure ?? failure;
  } catch (error) {
    // For example a rule refuses the status of the case: the step has failed, and must not stay Started. Its attempt
    // is kept, so that the next start only records the outcome.
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE' || error.code === 'UNAVAILABLE')
      throw error;
    return recordOutcome(ctx, decisionId, failureCommand(stepId, error));
  }
}

/** Runs a step outside the pass: in one transaction with its outcome, unless its operation opens its own. */
function runOutside(ctx: Context, stepId: number, { begun, of, attempt }: OutsideStart): Promise<StepOutcome> {
  const run = (own: Context): Promise<StepOutcome> =>
    runStep({ ...begun, ctx: own, values: new CaseValues(own, of.object, of.objectId) });
  return ctx.actingAs('Workflow', async (own) =>
    (await commitsAsWhole(own, begun.step))
      ? own.inTransaction(async (whole) => {
          const outcome = await run(whole);
          // After the hooks that the operation has registered.
          whole.beforeCommit(() => storeOutcome(whole.db, stepId, attempt.token, outcome));
          return outcome;
        })
      : run(own),
  );
}

function failureCommand(stepId: number, error: PlatformError): FailSteps {
  return { kind: 'fail', ids: [stepId], error, suppressNotification: false };
}

/**
 * Records the outcome of a step. If the workflow was put on hold meanwhile, nothing can be recorded: the step is queued
 * again after the hold, which records the outcome that its attempt has stored.
 */
async function recordOutcome(
  ctx: Context,
  decisionId: number,
  command: SettleStep | FailSteps,
): Promise<PlatformError | undefined> {
  const stepId = command.kind === 'settle' ? command.id : command.ids[0];
  return ctx.inTransaction(async (own) => {
    const { result, failure } = await advance(own, decisionId, [command]);
    if (result === 'passed' && command.kind === 'settle')
      await own.actingAs('Workflow', async (workflow) => {
        endAttempts(workflow, [command.id]);
        return Promise.resolve();
      });
    if (result === 'held')
      await own.transaction().elevated((db) =>
        db.query(
          `update decisionstep
           set status = 'Queued', queuemessageid = null, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
             version = version + 1
           where decisionstepid = $1::bigint and status = 'Started'`,
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
  readonly attempt: StepAttempt;
}

/**
 * Starts a step within the pass, or marks it as started outside. One lock covers the decision and the mark, so that
 * only one caller runs it.
 */
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
  if (!begun) return { before };
  const attempt = await own.actingAs('Workflow', (workflow) => beginAttempt(workflow.db, stepId));
  return { before, begun, of: found, attempt };
}

interface StepRow {
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

/**
 * Returns whether a step can start, and whether within the pass. Locks the workflow's row, so that one caller decides
 * at a time.
 */
async function inspectStep(
  own: Context,
  decisionId: number,
  stepId: number,
  starter: Starter,
): Promise<'nothing' | 'within' | StepRow> {
  await lockWorkflows(own.db, [decisionId]);
  const [row] = await own.db.query<StepRow>(
    `select s.status, s.canceleddate is not null as canceled,
       d.actualcompletion is not null or d.canceleddate is not null as ended, coalesce(d.delayed, false) as delayed,
       s.decisionsteptemplateid as template, d.decisiontemplateversionid as version, d.object,
       d.objectid as "objectId", s.queuemessageid as message, s.actualstart as start
     from decisionstep s
     join decision d using (decisionid)
     where s.decisionstepid = $1::bigint and d.decisionid = $2::bigint`,
    [stepId, decisionId],
  );
  if (!row) throw notFound({ name: 'Step' }, stepId);
  const plan = await planOfVersion(own.configuration, own.db, row.version);
  const step = plan.steps[plan.places.get(row.template) ?? -1];
  const refusal = refusalOf(row, step, plan.enforceDelay) ?? (isRunning(own, row) ? 'is running' : undefined);
  if (refusal === undefined && step) return isOutside(own, step);
  if (starter === 'person')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: step ${stepId} ${refusal ?? 'is not in the version of the template that the workflow follows'}.`,
    });
  // A call that arrives during a hold is queued again when the hold ends.
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

/** Returns why a step cannot start; undefined if it can. */
function refusalOf(
  { status, canceled, ended, delayed }: StepRow,
  step: PlannedStep | undefined,
  enforceDelay: boolean,
): string | undefined {
  if (canceled) return 'is canceled';
  if (ended) return 'is of a workflow that is complete or canceled';
  if (delayed && enforceDelay) return 'is of a workflow that is on hold';
  if (status === 'Complete') return 'is complete';
  if (status === 'Pending' && !(step && isPolling(step))) return 'is waiting for the record it created';
  return undefined;
}

/**
 * Whether a call works on a step already. A step started by a queued message belongs to that message, which is
 * redelivered until it is done.
 */
function isRunning({ clock, messageId }: Context, { status, message, start }: StepRow): boolean {
  if (status !== 'Started') return false;
  if (message !== null) return message !== messageId;
  return start !== null && clock.milliseconds() - Date.parse(start) < CUT_OFF_MINUTES * 60_000;
}
