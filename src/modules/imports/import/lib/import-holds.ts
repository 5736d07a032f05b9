import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import { referenceOf, savedRecord } from './item-log.ts';
import {
  hasDates,
  leafValues,
  templateId,
  toInstant,
  type NestedTarget,
  type SentDates,
  type StoredInstance,
} from './nested-target.ts';
import { storedInstances } from './stored-instances.ts';

/** A hold as it was sent. */
interface SentHold {
  readonly dates: SentDates;
  /** Undefined if it was not sent. */
  readonly reason: string | undefined;
}

/**
 * Saves holds. One that is sent again updates the open hold of its template, or corrects the ended one with its start.
 * Two holds of one template in a document that start on different days are two holds. A firm's report never changes a
 * hold that the servicer set; the firm's own is beside it.
 */
export async function importHolds(
  ctx: Context,
  elements: readonly XmlElement[],
  { parent, isNewCase, log }: NestedTarget,
): Promise<void> {
  const record = ctx.registry.recordType('DecisionDelay');
  /** The starts of holds that the document has named before, by hold; of each template. */
  const named = new Map<number, Map<number, number | null>>();
  for (const element of elements) {
    await log.saveNested(ctx, record, element, async () => {
      const template = await templateId(ctx, 'DecisionDelayTemplate', childText(element, 'Template') ?? '', parent);
      const { Template: _name, ...values } = leafValues(element);
      const sent = sentHold(ctx, values);
      const before = named.get(template);
      const stored =
        isNewCase && before === undefined ? [] : await storedInstances(ctx, 'DecisionDelay', { template, parent });
      const again = matchHold(
        stored.filter(({ id, isOwn }) => isOwn && !isOtherHold(before?.get(id), sent)),
        sent,
      );
      const starts = before ?? new Map<number, number | null>();
      named.set(template, starts);
      if (again && !again.isOpen && isSame(again, sent)) {
        starts.set(again.id, sent.dates.start);
        log.unchanged(record.name, again.id, referenceOf(element));
        return undefined;
      }
      if (!again) assertNotOfServicer(stored, sent);
      else log.concerns(again.id);
      const saved = await ctx.call(
        'decisiondelay/save',
        again ? { ID: again.id } : { TemplateID: template, Object: parent.record.name, ObjectID: parent.id },
        values,
      );
      starts.set(saved.row.DecisionDelayID, sent.dates.start);
      return savedRecord(saved, again?.id);
    });
  }
}

/** Throws STATE_REFUSES for the end of a hold that the firm has not reported, if the servicer has set one. */
function assertNotOfServicer(stored: readonly StoredInstance[], { dates }: SentHold): void {
  if (dates.completion === null || dates.start !== null) return;
  if (stored.some(({ isOwn, isOpen }) => !isOwn && isOpen))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ActualCompletion',
      message:
        'ActualCompletion: the servicer has set this hold and must end it. For a hold of your own, send its ' +
        'ActualStart too.',
    });
}

function sentHold(ctx: Context, values: Readonly<Record<string, string>>): SentHold {
  return {
    dates: {
      start: toInstant(ctx, 'ActualStart', values['ActualStart']),
      projected: toInstant(ctx, 'ProjectedCompletion', values['ProjectedCompletion']),
      completion: toInstant(ctx, 'ActualCompletion', values['ActualCompletion']),
    },
    reason: values['ReasonDetail'],
  };
}

/** Whether an earlier item of the document named this hold with another start. `start` is undefined if none did. */
function isOtherHold(start: number | null | undefined, { dates }: SentHold): boolean {
  return typeof start === 'number' && dates.start !== null && start !== dates.start;
}

function isSame(stored: StoredInstance, sent: SentHold): boolean {
  return hasDates(stored, sent.dates) && (sent.reason === undefined || sent.reason === stored.reason);
}

/** Recognizes a hold among the stored ones of its template; undefined if it is new. */
function matchHold(stored: readonly StoredInstance[], sent: SentHold): StoredInstance | undefined {
  const { start, projected, completion } = sent.dates;
  const ended = stored.filter(({ isOpen, isCanceled }) => !isOpen && !isCanceled);
  const endedThen = completion === null ? [] : ended.filter((hold) => hold.completion === completion);
  const open = stored.filter(({ isOpen }) => isOpen);
  const [exact] = [...endedThen, ...open].filter((hold) => isSame(hold, sent));
  if (exact) return exact;
  if (endedThen[0] ?? open[0]) return endedThen[0] ?? open[0];
  if (completion !== null) return start === null ? undefined : ended.find((hold) => hold.start === start);
  return start === null && projected === null ? undefined : ended.find((hold) => hasDates(hold, sent.dates));
}
