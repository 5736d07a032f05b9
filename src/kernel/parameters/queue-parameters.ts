import type { Clock } from '../time/clock.ts';
import { f } from '../declare/field.ts';
import { defined } from './defined.ts';
import { holdsNumber } from '../security/mask.ts';
import type { Operation } from '../declare/operation.ts';
import type { Parameters } from './parameters.ts';
import { bad, parseValue, type RawValue } from './parse-value.ts';
import type { QueueRequest } from '../ports/queue.ts';
import { nextRun, parseSchedule } from '../time/schedule.ts';

const reserved = {
  queuename: { option: 'queueName', field: f.text({ doc: 'The queue to use.', max: 100 }) },
  queueddate: { option: 'queuedDate', field: f.timestamp({ doc: 'Earliest time to run the call.' }) },
  schedulename: {
    option: 'scheduleName',
    field: f.text({
      doc: 'Makes the call recurring: `Every 15 minutes`, `Daily @ 3am`, `Weekly on Mon, Fri @ 02:30`.',
      max: 200,
    }),
  },
  queuelabel: { option: 'queueLabel', field: f.text({ doc: 'A word to find the message by.', max: 100 }) },
} as const;

/** Parameters of any `/queue/` call besides the operation's own. */
export const queueParameterFields = {
  QueueName: reserved.queuename.field,
  QueuedDate: reserved.queueddate.field,
  ScheduleName: reserved.schedulename.field,
  QueueLabel: reserved.queuelabel.field,
} as const;

/**
 * Separates the queue's parameters from the operation's. If the operation itself declares `QueueName` or
 * `ScheduleName`, the queue's are `_QueueName` and `_ScheduleName`.
 */
export function queueParameters(
  operation: Operation,
  parameters: Parameters,
  timeZone: string,
  clock: Clock,
): { readonly options: Partial<QueueRequest>; readonly rest: Parameters } {
  const declared = new Set(Object.keys(operation.params).map((n) => n.toLowerCase()));
  const rest = Object.create(null) as Record<string, RawValue>;
  const found: Record<string, string> = {};
  for (const [name, raw] of Object.entries(parameters)) {
    const lower = name.toLowerCase();
    const key = lower.startsWith('_') ? lower.slice(1) : lower;
    const entry = Object.hasOwn(reserved, key) ? reserved[key as keyof typeof reserved] : undefined;
    if (!entry || (declared.has(key) && !lower.startsWith('_'))) rest[name] = raw;
    else {
      const value = parseValue(entry.field, raw, name, { timeZone });
      if (typeof value === 'string') found[entry.option] = value;
    }
  }
  return { options: queueOptions(found, timeZone, clock), rest };
}

function queueOptions(found: Readonly<Record<string, string>>, timeZone: string, clock: Clock): Partial<QueueRequest> {
  const { queueName, queuedDate, scheduleName, queueLabel } = found;
  // Labels are stored in the clear.
  if (queueLabel !== undefined && holdsNumber(queueLabel))
    throw bad('QueueLabel', 'a label without nine digits in a row, which may be a Social Security number');
  const firstRun =
    scheduleName === undefined ? undefined : nextRun(parseSchedule(scheduleName), clock.milliseconds(), timeZone);
  if (scheduleName !== undefined && firstRun === undefined) throw bad('ScheduleName', 'a schedule that has a next run');
  return defined({ queueName, queuedDate: queuedDate ?? firstRun, scheduleName, label: queueLabel });
}
