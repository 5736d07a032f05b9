import type { Context } from '../../../../../kernel/door/context.ts';
import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { f } from '../../../../../kernel/declare/field.ts';
import { parameter } from '../../../../../kernel/parameters/parameters.ts';
import { parseValue } from '../../../../../kernel/parameters/parse-value.ts';
import { nextOccurrence, type ScheduleTimes } from '../../../../../kernel/time/schedule.ts';
import { fillSignature, parseSignature } from '../../../../../kernel/door/signature.ts';
import { decisionPollingMinutes } from '../../settings.ts';
import { columnText } from '../../../lib/column-text.ts';
import type { PlannedStep } from '../template/plan.ts';
import { operationOf, signatureOf } from './call-operation.ts';
import type { CaseValues, OwnValues } from './case-values.ts';

/** A step that is to be started from a queue. */
export interface QueuedStep {
  readonly step: PlannedStep;
  /** The DecisionStep. */
  readonly id: number;
  readonly values: CaseValues;
  readonly own: OwnValues;
  /** ISO 8601. */
  readonly notBefore?: string | undefined;
  /** Nobody waits for it. */
  readonly canWait?: true;
}

/** The label by which a step's queued calls are found. */
function stepLabel(stepId: number): string {
  return `DecisionStep ${stepId}`;
}

/** Whether a step is started from a queue: one that says so, and one whose operation commits by itself, which cannot be part of a pass. */
export async function startsFromQueue(ctx: Context, step: PlannedStep): Promise<boolean> {
  if (step.async) return true;
  if (step.operation === null) return false;
  const operation = await operationOf(ctx, signatureOf(step));
  return operation?.transactions === 'own';
}

/** Queues the start of a step, with the transaction; answers the message's id. QueueParameters decide for the case where it goes. */
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
  // The later of the two holds.
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

/** Queues the next look of a polling step, at its schedule's next time or after some minutes. Thousands that come at the same moment must not keep their queue from its other work. */
export async function queueNextPoll(ctx: Context, queued: QueuedStep): Promise<string> {
  return queueStep(ctx, { ...queued, notBefore: await nextPollTime(ctx, queued.step), canWait: true });
}

async function nextPollTime(ctx: Context, { scheduleId, name }: PlannedStep): Promise<string> {
  const now = ctx.clock.milliseconds();
  if (scheduleId === null) return new Date(now + ctx.settings.get(decisionPollingMinutes) * 60_000).toISOString();
  const [schedule] = await ctx.db.query<ScheduleTimes & Record<string, unknown>>(
    'select schedulename as "ScheduleName", intervalminutes as "IntervalMinutes" from schedule where scheduleid = $1::bigint',
    [scheduleId],
  );
  const next = schedule && nextOccurrence(schedule, now, ctx.settings.get(timeZone));
  if (next === undefined)
    throw new PlatformError('STATE_REFUSES', {
      field: 'MonitorScheduleID',
      message: `MonitorScheduleID: the schedule ${scheduleId} of the step "${name}" is gone, or never comes.`,
    });
  return next;
}
