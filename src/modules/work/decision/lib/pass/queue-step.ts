import type { Context } from '../../../../../kernel/door/context.ts';
import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { f } from '../../../../../kernel/declare/field.ts';
import { parameter } from '../../../../../kernel/parameters/parameters.ts';
import { parseValue } from '../../../../../kernel/parameters/parse-value.ts';
import { nextScheduledTime } from '../../../../system/public/next-scheduled-time.ts';
import { fillSignature, parseSignature } from '../../../../../kernel/door/signature.ts';
import { decisionPollingMinutes } from '../../settings.ts';
import { columnText } from '../../../lib/column-text.ts';
import type { PlannedStep } from '../template/plan.ts';
import { operationOf, signatureOf } from './call-operation.ts';
import type { CaseValues, OwnValues } from './case-values.ts';

/** A step to start from the job queue. */
export interface QueuedStep {
  readonly step: PlannedStep;
  /** The DecisionStep. */
  readonly id: number;
  readonly values: CaseValues;
  readonly own: OwnValues;
  /** ISO 8601. */
  readonly notBefore?: string | undefined;
  /** Nobody is waiting for it. */
  readonly canWait?: true;
}

/** Returns the label of a step's queued calls. */
function stepLabel(stepId: number): string {
  return `DecisionStep ${stepId}`;
}

/**
 * Whether a step starts from the job queue: because it is async, or because its operation commits by itself and cannot
 * be part of a pass.
 */
export async function startsFromQueue(ctx: Context, step: PlannedStep): Promise<boolean> {
  return step.async || (await commitsByItself(ctx, step));
}

/** Whether a step calls an operation that opens its own transactions. */
export async function commitsByItself(ctx: Context, step: PlannedStep): Promise<boolean> {
  if (step.operation === null) return false;
  const operation = await operationOf(ctx, signatureOf(step));
  return operation?.transactions === 'own';
}

/**
 * Queues the start of a step in this transaction. Returns the message ID. QueueParameters choose the job queue for the
 * case.
 */
export async function queueStep(
  ctx: Context,
  { step, id, values, own, notBefore, canWait }: QueuedStep,
): Promise<string> {
  const parameters =
    step.queueParameters === null
      ? {}
      : await fillSignature(
          parseSignature(`Queue/Send?${step.queueParameters}`, { field: 'QueueParameters' }),
          values.resolver(own),
        );
  const text = (name: string): string | undefined => {
    const value = parameter(parameters, name);
    return value === undefined || value === null || value === '' ? undefined : columnText(value);
  };
  const queueName = text('QueueName') ?? step.queue ?? undefined;
  const at = text('QueuedDate');
  const dated =
    at === undefined
      ? undefined
      : String(
          parseValue(f.timestamp({ doc: '' }), at, 'QueueParameters: QueuedDate', {
            timeZone: ctx.settings.get(timeZone),
          }),
        );
  // The later of the two applies.
  const queuedDate = [dated, notBefore]
    .filter((date) => date !== undefined)
    .sort()
    .at(-1);
  return ctx.enqueue({
    route: 'decisionstep/start',
    parameters: { ID: [id] },
    label: text('QueueLabel') ?? stepLabel(id),
    ...(queueName === undefined ? {} : { queueName: ctx.queue.queueOf(queueName) }),
    ...(queuedDate === undefined ? {} : { queuedDate }),
    ...(canWait && { lowPriority: canWait }),
  });
}

/**
 * Queues the next poll of a polling step, by its schedule or after some minutes. Low priority: thousands due at once
 * must not block their queue.
 */
export async function queueNextPoll(ctx: Context, queued: QueuedStep): Promise<string> {
  return queueStep(ctx, { ...queued, notBefore: await nextPollTime(ctx, queued.step), canWait: true });
}

async function nextPollTime(ctx: Context, { scheduleId, name }: PlannedStep): Promise<string> {
  if (scheduleId === null)
    return new Date(ctx.clock.milliseconds() + ctx.settings.get(decisionPollingMinutes) * 60_000).toISOString();
  const next = await nextScheduledTime(ctx, scheduleId);
  if (next === undefined)
    throw new PlatformError('STATE_REFUSES', {
      field: 'MonitorScheduleID',
      message: `MonitorScheduleID: the schedule ${scheduleId} of the step "${name}" was deleted, or has no next time.`,
    });
  return next;
}
