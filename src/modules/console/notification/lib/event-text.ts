import type { NotificationKind } from '../../../access/public/notification-kinds.ts';
import type { NotableEvent } from './read-events.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TEXT_MAX = 250;

/** What texts need besides the events. */
export interface TextContext {
  /** The present year: other years are written out. */
  readonly year: string;
  /** Returns what people call a column of a record type, by its name in lower case. */
  readonly labelOf: (type: string, column: string) => string;
}

/** What several events of a kind are called together. */
const together: Readonly<Record<NotificationKind, (count: number, event: NotableEvent) => string>> = {
  Stage: (n) => `${n} changes of stage`,
  Hold: (n) => `${n} changes of holds`,
  Date: (n) => `${n} dates changed`,
  Document: (n) => `${n} documents added`,
  Message: (n) => `${n} notes and messages added`,
  Task: (n) => `${n} tasks completed`,
  Mention: (n) => `You were mentioned ${n} times`,
  Assignment: (n, event) => `${n} items assigned to you${inQueue(event)}`,
  Payment: (n) => `${n} changes of disputed payments`,
};

/** Says in words what happened: one event, or how many there were. */
export function eventText(event: NotableEvent, count: number, context: TextContext): string {
  const text = count > 1 ? together[event.kind](count, event) : single(event, context);
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;
}

function single(event: NotableEvent, context: TextContext): string {
  const named = event.what === '' ? '' : `: ${event.what}`;
  switch (event.kind) {
    case 'Stage':
      return event.after === 'reached' ? `Reached${named}` : `Status: ${changeText(event, (value) => value)}`;
    case 'Date':
      return `${context.labelOf(event.object, event.what)}: ${changeText(event, (iso) => dayText(iso, context.year))}`;
    case 'Hold':
      return `${event.after === 'added' ? 'Hold placed' : 'Hold released'}${named}`;
    case 'Document':
      return `Document added${named}`;
    case 'Message':
      return `Note added${named}`;
    case 'Task':
      return `Task completed${named}`;
    case 'Mention':
      return `${event.actorName ?? 'Somebody'} mentioned you${named}`;
    case 'Assignment':
      return `Assigned to you${inQueue(event)}${named}`;
    case 'Payment':
      return disputeText(event) + named;
  }
}

/** Says what became of a dispute, by its status. */
function disputeText({ after }: NotableEvent): string {
  return after === 'Open' ? 'Payment disputed' : `Dispute ${(after ?? 'changed').toLowerCase()}`;
}

/** Names the queue of an assignment, which its value before is. */
function inQueue({ before }: NotableEvent): string {
  return before === null || before === '' ? '' : ` in ${before}`;
}

function changeText({ before, after }: NotableEvent, show: (value: string) => string): string {
  const shown = (value: string | null): string => (value === null || value === '' ? 'none' : show(value));
  return `${shown(before)} → ${shown(after)}`;
}

/** Returns the day of an ISO text as "Nov 18", with the year if it is another. */
function dayText(iso: string, present: string): string {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)/.exec(iso) ?? [];
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return iso;
  return `${name} ${Number(day)}${year === present ? '' : `, ${year}`}`;
}

/** Returns the sign-in names that a text mentions, `@name`; those of mail addresses are none. */
export function mentionedNames(text: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(/(?<![\w@.])@([\p{L}\d][\p{L}\d._-]{0,98}[\p{L}\d]|[\p{L}\d])/gu)].map(
        ([, name]) => name ?? '',
      ),
    ),
  ];
}
