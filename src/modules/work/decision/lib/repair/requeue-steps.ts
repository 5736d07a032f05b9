import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { runningPass } from '../pass/advance.ts';
import { CaseValues, ownValues } from '../pass/case-values.ts';
import { queueStep } from '../pass/queue-step.ts';
import { endedBatches, waitsForBatch } from '../pass/ended-batches.ts';
import { hasCompleteWorkflow } from '../pass/ended-records.ts';
import { lockWorkflows, type StepStatus } from '../pass/stored-steps.ts';
import { publishDecisions, publishSteps } from '../pass/publish-changes.ts';
import { endAttempts } from '../pass/step-attempt.ts';
import { isPolling, planOfVersion, type PlannedStep } from '../template/plan.ts';

/** Why a step is not requeued that its template has no longer. */
const NOT_IN_VERSION = 'is not in the version of the template that the workflow follows';

/** How steps are requeued. */
export interface RequeueOptions {
  /**
   * `Reprocessing`: whatever their result, complete ones too. `Queued`: only unfinished steps that no call works on.
   */
  readonly status: 'Queued' | 'Reprocessing';
  /** ISO 8601. */
  readonly notBefore?: string | undefined;
}

/** The result of requeuing steps. */
export interface RequeueResult {
  readonly queued: ReadonlySet<number>;
  /** Why the others were skipped, by step. */
  readonly skipped: ReadonlyMap<number, string>;
}

interface StepRow {
  readonly id: number;
  readonly decision: number;
  readonly template: number;
  readonly status: StepStatus | null;
  readonly complete: boolean;
  readonly canceled: boolean;
  readonly made: { readonly object: string; readonly id: number } | null;
  /** Whether it waits for a workflow that is complete. */
  readonly ended: boolean;
  readonly message: string | null;
  readonly decisionCanceled: boolean;
  readonly decisionComplete: boolean;
  readonly delayed: boolean;
  readonly version: number | null;
  readonly decisionTemplate: number | null;
  readonly object: string | null;
  readonly objectId: number | null;
}

const STEPS = `select s.decisionstepid as id, s.decisionid as decision, s.decisionsteptemplateid as template, s.status,
    s.actualcompletion is not null as complete, s.canceleddate is not null as canceled,
    case when s.objectid is not null then json_build_object('object', s.object, 'id', s.objectid) end as made,
    s.status = 'Pending' and ${hasCompleteWorkflow('s')} as ended,
    s.queuemessageid as message, d.canceleddate is not null as "decisionCanceled",
    d.actualcompletion is not null as "decisionComplete", coalesce(d.delayed, false) as delayed,
    d.decisiontemplateversionid as version, d.decisiontemplateid as "decisionTemplate", d.object,
    d.objectid as "objectId"
  from decisionstep s
  join decision d using (decisionid)
  where s.decisionstepid = any($1::bigint[])
  order by s.decisionstepid`;

/**
 * Queues steps to start again, in few statements, in the call's transaction as the built-in user Workflow. Locks their
 * workflows first, as every pass does, and cancels calls that are still queued for them.
 */
export async function requeueSteps(
  own: Context,
  ids: readonly number[],
  { status, notBefore }: RequeueOptions,
): Promise<RequeueResult> {
  const { db } = own;
  const workflows = await db.query<{ id: number }>(
    'select distinct decisionid as id from decisionstep where decisionstepid = any($1::bigint[])',
    [arrayLiteral(ids)],
  );
  await lockWorkflows(
    db,
    workflows.map(({ id }) => id),
  );
  const rows = await db.query<StepRow>(STEPS, [arrayLiteral(ids)]);
  const states = await messageStates(
    own,
    rows.flatMap(({ message }) => message ?? []),
  );
  const skipped = new Map<number, string>();
  const messages = new Map<number, QueuedAgain>();
  const passes = new Map<number, string>();
  for (const row of rows) {
    const state = states.get(row.message ?? '');
    if (status === 'Queued' && hasKilledItsProcess(row, state)) {
      messages.set(row.id, { message: await queueFailure(own, row), status: 'Started' });
      continue;
    }
    if (status === 'Queued' && (await needsPass(own, row, state))) {
      const message = passes.get(row.decision) ?? (await queuePass(own, row.decision));
      passes.set(row.decision, message);
      messages.set(row.id, { message, status: 'Pending' });
      continue;
    }
    const why = (await skipReason(own, row, status, state)) ?? (await queueStart(own, row, notBefore));
    if (typeof why === 'string') skipped.set(row.id, why);
    else messages.set(row.id, { message: why.queued, status });
  }
  const again = rows.filter(({ id }) => messages.has(id));
  await cancelQueuedCalls(own, again, states);
  await writeRequeued(own, again, messages);
  return { queued: new Set(messages.keys()), skipped };
}

/** The call that a step waits for now, and the step's status. */
interface QueuedAgain {
  readonly message: string;
  readonly status: RequeueOptions['status'] | 'Pending' | 'Started';
}

/**
 * Whether a step was running each time that the process of its call ended, until the call used up its attempts. Started
 * again, it would probably end another process.
 */
function hasKilledItsProcess(row: StepRow, state: string | undefined): boolean {
  const isOver = row.canceled || row.decisionCanceled || row.decisionComplete || row.delayed;
  return !isOver && row.status === 'Started' && (state === 'dead' || state === 'discarded');
}

/** Queues the failure of a step, so that people see it. */
function queueFailure(own: Context, { id, decision }: StepRow): Promise<string> {
  return own.enqueue({
    route: 'decision/advance',
    parameters: {
      ID: decision,
      FailStepID: [id],
      Message: 'The process that ran the step ended or was too slow, at every attempt.',
    },
    label: `DecisionStep ${id}`,
  });
}

/**
 * Whether an unfinished step waits for a workflow or a batch that has ended, and only needs a pass: the call that
 * reported the end is lost or was refused.
 */
async function needsPass(own: Context, row: StepRow, state: string | undefined): Promise<boolean> {
  const { id, status, ended, made, version } = row;
  if (row.canceled || row.decisionCanceled || row.decisionComplete || row.delayed || isLive(state)) return false;
  if (ended) return true;
  const step = version === null || status !== 'Pending' ? undefined : await plannedStep(own, version, row.template);
  const waiting = { id, status, object: made?.object ?? null, objectId: made?.id ?? null };
  return step !== undefined && waitsForBatch(step, waiting) && (await endedBatches(own, [waiting])).length > 0;
}

function queuePass(own: Context, decisionId: number): Promise<string> {
  return own.enqueue({
    route: 'decision/process',
    parameters: { ID: decisionId },
    label: `Decision ${decisionId}`,
  });
}

/** Whether a message will still be delivered, or is being worked on. */
export function isLive(state: string | undefined): boolean {
  return state === 'active' || waitingStates.has(state ?? '');
}

/** Returns the states of queued messages by ID. Messages that the queue no longer has are missing. */
export async function messageStates(own: Context, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  // A message that was requeued from the dead letters has several rows, the latest first.
  const found = await own.transaction().elevated((db) => own.queue.find(db, { ids, start: 0, size: ids.length * 3 }));
  return new Map([...found].reverse().map(({ QueueMessageID, State }) => [QueueMessageID, State]));
}

const waitingStates = new Set(['created', 'retry']);

/** Returns why a step is not requeued; undefined if it is. */
async function skipReason(
  own: Context,
  row: StepRow,
  newStatus: RequeueOptions['status'],
  state: string | undefined,
): Promise<string | undefined> {
  if (row.canceled || row.decisionCanceled) return 'is canceled';
  if (runningPass(own, row.decision)) return 'is of the workflow that calls';
  if (isRunning(row, state)) return 'is running';
  const step = row.version === null ? undefined : await plannedStep(own, row.version, row.template);
  if (!step) return NOT_IN_VERSION;
  return newStatus === 'Reprocessing' ? undefined : unfinishedSkipReason(row, step, state);
}

/**
 * Returns whether a call works on a step, or may. A step whose message became a dead letter was interrupted. A step
 * that a user started has no message, so this cannot be known.
 */
function isRunning({ status, message }: StepRow, state: string | undefined): boolean {
  return state === 'active' || (status === 'Started' && (message === null || waitingStates.has(state ?? '')));
}

/** Returns why an unfinished step need not be queued; undefined if it should be. */
function unfinishedSkipReason(row: StepRow, step: PlannedStep, state: string | undefined): string | undefined {
  if (row.complete || row.decisionComplete) return 'is complete';
  if (row.delayed) return 'is of a workflow that is on hold';
  if (state !== undefined && waitingStates.has(state)) return 'is queued';
  // A step that waits for the record it created, or for a person, has nothing to call again.
  const waits = row.status === 'Pending' && !isPolling(step) && (row.made !== null || step.operation === null);
  return waits ? 'waits for the record it created, or for a person' : undefined;
}

async function plannedStep(own: Context, versionId: number, templateId: number): Promise<PlannedStep | undefined> {
  const plan = await planOfVersion(own.configuration, own.db, versionId);
  return plan.steps[plan.places.get(templateId) ?? -1];
}

/** Queues the start of a step. Returns the message, or why not if its queue cannot be determined. */
async function queueStart(
  own: Context,
  row: StepRow,
  notBefore: string | undefined,
): Promise<string | { readonly queued: string }> {
  const step = await plannedStep(own, row.version ?? 0, row.template);
  if (!step) return NOT_IN_VERSION;
  const values = new CaseValues(own, row.object, row.objectId);
  const known = ownValues(
    { id: row.id, templateId: row.template },
    { id: row.decision, templateId: row.decisionTemplate, object: row.object, objectId: row.objectId },
  );
  try {
    return { queued: await queueStep(own, { step, id: row.id, values, own: known, notBefore }) };
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500) return `cannot be queued: ${error.message}`;
    throw error;
  }
}

/** Cancels calls still queued for the steps, such as the next poll of a polling step: they would start it too. */
async function cancelQueuedCalls(
  own: Context,
  rows: readonly StepRow[],
  states: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { message } of rows)
    if (message !== null && waitingStates.has(states.get(message) ?? ''))
      await own.transaction().elevated((db) => own.queue.cancel(db, message));
}

async function writeRequeued(
  own: Context,
  rows: readonly StepRow[],
  messages: ReadonlyMap<number, QueuedAgain>,
): Promise<void> {
  const { db, clock, user } = own;
  if (rows.length === 0) return;
  const ended = [...new Set(rows.filter(({ decisionComplete }) => decisionComplete).map(({ decision }) => decision))];
  await db.query(
    `update decision
     set actualcompletion = null, status = 'Reactivated', updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = version + 1
     where decisionid = any($1::bigint[])`,
    [arrayLiteral(ended), clock.now(), user.personId],
  );
  await db.query(
    `update decisionstep s
     set status = q.status, queuemessageid = q.message, istrue = null, actualcompletion = null, errordate = null,
       errorguid = null, errormessage = null, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = version + 1
     from json_to_recordset($1::json) as q (step bigint, message text, status text)
     where s.decisionstepid = q.step`,
    [JSON.stringify(rows.map(({ id }) => ({ step: id, ...messages.get(id) }))), clock.now(), user.personId],
  );
  // A step that is to run again does all of its work again.
  const repeated = rows.filter(({ id }) => messages.get(id)?.status === 'Reprocessing').map(({ id }) => id);
  if (repeated.length > 0) endAttempts(own, repeated);
  // Holds put on the case while they were complete did not apply.
  for (const decision of new Set(rows.filter(({ complete }) => complete).map((row) => row.decision)))
    await db.query('select casewright_hold_decision($1::bigint)', [decision]);
  await publishSteps(
    own,
    'update',
    rows.map(({ id }) => id),
  );
  await publishDecisions(own, ended, ['Status', 'ActualCompletion']);
}
