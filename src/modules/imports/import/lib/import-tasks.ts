import type { Context } from '../../../../kernel/door/context.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';
import { childOf, childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import {
  asReportedCompletion,
  hasAnswers,
  reportedAnswers,
  type ReportedSave,
  type SentAnswer,
} from '../../../work/public/reported-tasks.ts';
import { findByReference } from './find-by-reference.ts';
import { saveMessage } from './import-messages.ts';
import { referenceOf, savedRecord, type SavedRecord } from './item-log.ts';
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

/** A task as it was sent. */
interface SentTask {
  readonly template: number;
  readonly values: Readonly<Record<string, string>>;
  readonly dates: SentDates;
  /** The item's own Reference. */
  readonly reference: string | null;
  /** The answers by question. */
  readonly answers: Readonly<Record<string, string>>;
}

/** What a sent task does: it changes a stored one, changes nothing, or is new. */
type TaskMatch =
  | { readonly kind: 'new' }
  | { readonly kind: 'update'; readonly stored: StoredInstance }
  | { readonly kind: 'unchanged'; readonly stored: StoredInstance; readonly warning?: string };

/**
 * Saves tasks. One that is sent again updates the open task of its template, or corrects the one that was completed
 * last. A message sent with a task is saved on the task.
 */
export async function importTasks(ctx: Context, elements: readonly XmlElement[], target: NestedTarget): Promise<void> {
  const { parent, log } = target;
  const record = ctx.registry.recordType('ImportForm');
  /** Tasks of this item's document by template: two completions in one document are two tasks. */
  const used = new Map<number, Set<number>>();
  for (const element of elements) {
    const { Messages_0_Message: subject, Messages_0_BodyText: body } = leafValues(element);
    let taskId: number | undefined;
    const row = await log.saveNested(ctx, record, element, async () => {
      const sent = await readTask(ctx, element, parent);
      const usedBefore = used.get(sent.template);
      const stored =
        target.isNewCase && usedBefore === undefined
          ? []
          : await storedInstances(ctx, 'ImportForm', { template: sent.template, parent });
      const match = await matchTask(ctx, stored, sent, usedBefore ?? new Set());
      used.set(sent.template, (usedBefore ?? new Set<number>()).add(match.kind === 'new' ? 0 : match.stored.id));
      if (match.kind === 'unchanged') {
        taskId = match.stored.id;
        const warning = match.warning ?? (await answersIgnored(ctx, match.stored.id, sent));
        log.unchanged(record.name, match.stored.id, referenceOf(element), warning);
        return undefined;
      }
      if (match.kind === 'update') log.concerns(match.stored.id);
      const saved = await saveTask(ctx, sent, match, parent);
      used.get(sent.template)?.add(saved.row.ImportFormID);
      return saved;
    });
    const formId = row?.ImportFormID ?? taskId;
    if (formId === undefined || (!subject && !body)) continue;
    await saveMessage(
      ctx,
      element,
      { ...target, isNewCase: false, parent: { record, id: formId } },
      { values: { Message: subject ?? '', BodyText: body ?? '' }, templateName: undefined, seen: new Set() },
    );
  }
}

async function readTask(ctx: Context, element: XmlElement, parent: KnownParent): Promise<SentTask> {
  const {
    Messages_0_Message: _subject,
    Messages_0_BodyText: _body,
    Template: name = '',
    ...values
  } = leafValues(element);
  const template = await templateId(ctx, 'ImportFormTemplate', name, parent);
  const answers = (childOf(element, 'Answers')?.children ?? []).map((item): SentAnswer => ({
    question: childText(item, 'Question') ?? '',
    answer: childText(item, 'Answer') ?? '',
  }));
  return {
    template,
    values,
    reference: referenceOf(element),
    answers: await reportedAnswers(ctx, template, answers),
    dates: {
      start: null,
      projected: toInstant(ctx, 'ProjectedCompletion', values['ProjectedCompletion']),
      completion: toInstant(ctx, 'ActualCompletion', values['ActualCompletion']),
    },
  };
}

/**
 * Recognizes a task among the stored ones of its template. A completion date completes the open task. Without one it
 * corrects the task with its Reference or, if it has none, the one completed last, unless by the same document.
 * A projection after the last completion is a new task: the step is to be done again.
 */
async function matchTask(
  ctx: Context,
  all: readonly StoredInstance[],
  sent: SentTask,
  used: ReadonlySet<number>,
): Promise<TaskMatch> {
  const { dates } = sent;
  const isAnswered = Object.keys(sent.answers).length > 0;
  // A task that asks for missing answers stays open until they come.
  const stored = all.filter(({ isOpen, isFollowUp }) => isAnswered || !isOpen || !isFollowUp);
  const open = stored.find(({ isOpen }) => isOpen);
  const answersOpen = open !== undefined && isAnswered;
  const same = dates.completion === null ? undefined : stored.find((s) => s.completion === dates.completion);
  if (same && !answersOpen)
    return hasDates(same, dates) ? { kind: 'unchanged', stored: same } : { kind: 'update', stored: same };
  if (open) return { kind: 'update', stored: open };
  const ended = stored.filter((s) => !s.isOpen && !s.isCanceled && !s.isFollowUp && !used.has(s.id));
  if (dates.completion !== null) {
    const corrected = await correctedTask(ctx, ended, sent.reference);
    return corrected ? { kind: 'update', stored: corrected } : { kind: 'new' };
  }
  if (dates.projected !== null) {
    const projected = stored.find((s) => hasDates(s, dates));
    return projected ? { kind: 'unchanged', stored: projected } : { kind: 'new' };
  }
  const [last] = ended;
  if (!last) return { kind: 'new' };
  return sent.values['ActualCompletion'] === undefined
    ? { kind: 'unchanged', stored: last }
    : { kind: 'unchanged', stored: last, warning: reopeningRefused(last) };
}

/** Returns the completed task whose date is corrected; undefined if the completion is that of another task. */
async function correctedTask(
  ctx: Context,
  ended: readonly StoredInstance[],
  reference: string | null,
): Promise<StoredInstance | undefined> {
  if (reference === null) return ended[0];
  const ids = ended.map(({ id }) => id);
  const named = await findByReference(ctx, 'ImportForm', ids, reference);
  return ended.find(({ id }) => id === named);
}

function reopeningRefused({ completion }: StoredInstance): string {
  const day = completion === null ? '' : ` on ${new Date(completion).toISOString().slice(0, 10)}`;
  return `ActualCompletion: the step was completed${day}. An empty date does not reopen it; it was not changed.`;
}

/** Warns if a task that is not changed has other answers than were sent. */
async function answersIgnored(ctx: Context, id: number, { answers }: SentTask): Promise<string | undefined> {
  if (Object.keys(answers).length === 0 || (await hasAnswers(ctx, id, answers))) return undefined;
  return 'Answers: the step is complete with other answers, which were not changed.';
}

/** Saves a task as a report: what the firm says is complete is complete, whether or not all questions are answered. */
async function saveTask(
  ctx: Context,
  { template, values, answers }: SentTask,
  match: Exclude<TaskMatch, { readonly kind: 'unchanged' }>,
  parent: KnownParent,
): Promise<SavedRecord<{ readonly ImportFormID: number }>> {
  const existing = match.kind === 'update' ? match.stored : undefined;
  const { saved, missing, isHeld } = await asReportedCompletion(ctx, () =>
    ctx.call(
      'importform/save',
      existing ? { ID: existing.id } : { TemplateID: template, Object: parent.record.name, ObjectID: parent.id },
      { ...values, ...answers },
    ),
  );
  return savedRecord(saved, existing?.id, warningOf(existing, { missing, isHeld }));
}

function warningOf(
  existing: StoredInstance | undefined,
  { missing, isHeld }: Pick<ReportedSave<unknown>, 'missing' | 'isHeld'>,
): string | undefined {
  if (isHeld)
    return (
      'The step is complete. Its workflow was put on hold by the servicer and continues when the hold ends; you need ' +
      'not send it again.'
    );
  if (missing.length > 0)
    return (
      `The step is complete, without the answer to ${missing.join(', ')}. If a workflow waits for it, people are ` +
      'asked; or send the step again with Answers.'
    );
  if (existing?.completion === undefined || existing.completion === null) return undefined;
  const day = new Date(existing.completion).toISOString().slice(0, 10);
  return `The step was complete since ${day}; its dates were corrected.`;
}
