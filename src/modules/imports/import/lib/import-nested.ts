import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { parseValue } from '../../../../kernel/parameters/parse-value.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';
import { activeCondition } from '../../../../kernel/records/save/final-status.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { childOf, childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import { findMessage } from '../../../messages/public/find-message.ts';
import { referenceOf, savedRecord, type ItemLog } from './item-log.ts';

/** The case that nested records belong to, the submission's files, and the log of their results. */
export interface NestedTarget {
  readonly parent: KnownParent;
  /** Whether the item created the case: then only records of the same item can exist already. */
  readonly isNewCase: boolean;
  readonly files: ReadonlyMap<string, StagedDocument>;
  readonly log: ItemLog;
}

const dateField = f.timestamp({ doc: 'A date of a step or hold.' });

/** Elements of a stand-alone item that name its case. */
const TARGET_ELEMENTS = new Set(['Object', 'ObjectSubscriberID']);

const leafValues = (element: XmlElement): Record<string, string> =>
  Object.fromEntries(
    element.children
      .filter((c) => c.children.length === 0 && !TARGET_ELEMENTS.has(c.name))
      .map((c) => [c.name, c.text.trim()]),
  );

/** Returns the elements nested in a case item under a name. */
export function nestedElements(item: XmlElement, name: string): readonly XmlElement[] {
  return childOf(item, name)?.children ?? [];
}

async function templateId(ctx: Context, record: string, name: string, parent: KnownParent): Promise<number> {
  return (
    await findTemplate(ctx, ctx.registry.requireRecord(record, 'Template'), {
      name,
      parentClass: parent.record.name,
      field: 'Template',
    })
  ).id;
}

/** The stored task or hold that an element means. `isUnchanged`: it has ended and has all values that were sent. */
interface ExistingInstance {
  readonly id: number;
  readonly isUnchanged: boolean;
}

const DATE_COLUMNS = {
  importform: ['ProjectedCompletion', 'ActualCompletion'],
  decisiondelay: ['ActualStart', 'ProjectedCompletion', 'ActualCompletion'],
} as const;

/** An instance of a template as it was sent. */
interface SentInstance {
  readonly template: number;
  readonly parent: KnownParent;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Finds the instance of a template under a parent that is being sent again: the one that ended at the sent date, else
 * the open one, else an ended one whose sent dates match. So a file that is sent twice starts nothing twice.
 */
async function findExistingInstance(
  ctx: Context,
  table: keyof typeof DATE_COLUMNS,
  { template, parent, values }: SentInstance,
): Promise<ExistingInstance | undefined> {
  const record = ctx.registry.requireRecord(table, 'Object');
  const sent = DATE_COLUMNS[table].map((name) => toInstant(ctx, name, values[name]));
  const all = DATE_COLUMNS[table]
    .map((name, i) => `($${i + 4}::timestamptz is null or ${name} = $${i + 4})`)
    .join(' and ');
  const completion = `$${DATE_COLUMNS[table].length + 3}::timestamptz`;
  const reason =
    table === 'decisiondelay'
      ? ` and ($${sent.length + 4}::text is null or coalesce(reasondetail, '') collate "C" = $${sent.length + 4})`
      : '';
  const sentDates = sent.map((_, i) => `$${i + 4}::timestamptz`).join(', ');
  const ended = `(${completion} is null and num_nonnulls(${sentDates}) > 0 and ${all})`;
  const [row] = await ctx.db.query<{ id: number; open: boolean; same: boolean }>(
    `select ${table}id as id, (${activeCondition(record)}) as open, (${all}${reason}) as same from ${table}
     where object = $1::text and objectid = $2::bigint and ${table}templateid = $3::bigint
     and ((${activeCondition(record)}) or actualcompletion = ${completion} or ${ended})
     order by coalesce(actualcompletion = ${completion}, false) desc, open desc, ${table}id desc limit 1`,
    [
      parent.record.name,
      parent.id,
      template,
      ...sent,
      ...(table === 'decisiondelay' ? [values['ReasonDetail'] ?? null] : []),
    ],
  );
  return row && { id: row.id, isUnchanged: row.same && !row.open };
}

/** Parses a date of a task or hold into an instant, as saving the record would. */
function toInstant(ctx: Context, name: string, text: string | undefined): string | null {
  return text ? (parseValue(dateField, text, name, { timeZone: ctx.settings.get(timeZone) }) as string) : null;
}

/** Saves holds. One that is sent again updates the open hold of its template. */
export async function importHolds(
  ctx: Context,
  elements: readonly XmlElement[],
  { parent, isNewCase, log }: NestedTarget,
): Promise<void> {
  const record = ctx.registry.recordType('DecisionDelay');
  const seen = new Set<number>();
  for (const element of elements) {
    await log.saveNested(ctx, record, element, async () => {
      const template = await templateId(ctx, 'DecisionDelayTemplate', childText(element, 'Template') ?? '', parent);
      const again =
        isNewCase && !seen.has(template)
          ? undefined
          : await findExistingInstance(ctx, 'decisiondelay', { template, parent, values: leafValues(element) });
      seen.add(template);
      if (again?.isUnchanged) {
        log.unchanged(record.name, again.id, referenceOf(element));
        return undefined;
      }
      const { Template: _name, ...values } = leafValues(element);
      return savedRecord(
        await ctx.call(
          'decisiondelay/save',
          again ? { ID: again.id } : { TemplateID: template, Object: parent.record.name, ObjectID: parent.id },
          values,
        ),
        again,
      );
    });
  }
}

/**
 * Saves tasks. One that is sent again updates the open task of its template. A message sent with a task is saved on the
 * task.
 */
export async function importTasks(ctx: Context, elements: readonly XmlElement[], target: NestedTarget): Promise<void> {
  const { parent, isNewCase, log } = target;
  const record = ctx.registry.recordType('ImportForm');
  const seen = new Set<number>();
  for (const element of elements) {
    const {
      Messages_0_Message: subject,
      Messages_0_BodyText: body,
      Template: name = '',
      ...values
    } = leafValues(element);
    const messages: { text: string; form: number | undefined } = { text: '', form: undefined };
    const row = await log.saveNested(ctx, record, element, async () => {
      const template = await templateId(ctx, 'ImportFormTemplate', name, parent);
      const again =
        isNewCase && !seen.has(template)
          ? undefined
          : await findExistingInstance(ctx, 'importform', { template, parent, values });
      seen.add(template);
      if (again?.isUnchanged) {
        log.unchanged(record.name, again.id, referenceOf(element));
        messages.form = again.id;
        return undefined;
      }
      return savedRecord(
        await ctx.call(
          'importform/save',
          again ? { ID: again.id } : { TemplateID: template, Object: parent.record.name, ObjectID: parent.id },
          values,
        ),
        again,
      );
    });
    const formId = row ? row.ImportFormID : messages.form;
    if (formId === undefined || (!subject && !body)) continue;
    await saveMessage(
      ctx,
      element,
      { ...target, parent: { record, id: formId } },
      { values: { Message: subject ?? '', BodyText: body ?? '' }, templateName: undefined, saved: undefined },
    );
  }
}

/** Saves messages; one that the case already has is not added again. */
export async function importMessages(
  ctx: Context,
  elements: readonly XmlElement[],
  target: NestedTarget,
): Promise<void> {
  const saved = target.isNewCase ? new Set<string>() : undefined;
  for (const element of elements) {
    const { Template: name = '', ...values } = leafValues(element);
    await saveMessage(ctx, element, target, { values, templateName: name, saved });
  }
}

/** A message to save. */
interface NewMessage {
  readonly values: Readonly<Record<string, string>>;
  /** Undefined: a message without a template. */
  readonly templateName: string | undefined;
  /** The messages that the item has saved, if the case has no others; undefined: read them from the database. */
  readonly saved: Set<string> | undefined;
}

async function saveMessage(
  ctx: Context,
  element: XmlElement,
  { parent, log }: NestedTarget,
  { values, templateName, saved }: NewMessage,
): Promise<void> {
  const record = ctx.registry.recordType('Message');
  await log.saveNested(ctx, record, element, async () => {
    const template = templateName === undefined ? null : await templateId(ctx, 'MessageTemplate', templateName, parent);
    // On a new case only messages of the same item can be equal.
    const key = JSON.stringify([template, values['Message'] ?? '', values['BodyText'] ?? '']);
    const isNew = saved !== undefined && !saved.has(key);
    saved?.add(key);
    const same = isNew
      ? undefined
      : await findMessage(ctx.db, {
          object: parent.record.name,
          objectId: parent.id,
          templateId: template,
          message: values['Message'] ?? '',
          bodyText: values['BodyText'] ?? '',
        });
    if (same !== undefined) {
      log.unchanged(record.name, same, referenceOf(element));
      return undefined;
    }
    return savedRecord(
      await ctx.call(
        'message/save',
        {
          ...(template === null ? {} : { TemplateID: template }),
          Object: parent.record.name,
          ObjectID: parent.id,
        },
        values,
      ),
      undefined,
    );
  });
}

/** Saves documents; one with the same template and content that the case already has is not added again. */
export async function importDocuments(
  ctx: Context,
  elements: readonly XmlElement[],
  { parent, isNewCase, files, log }: NestedTarget,
): Promise<void> {
  const record = ctx.registry.recordType('Attachment');
  const sent = new Set<string>();
  for (const element of elements) {
    await log.saveNested(ctx, record, element, async () => {
      const { Template: name = '', Content: token = '', ...values } = leafValues(element);
      const file = files.get(token);
      if (!file)
        throw new PlatformError('BAD_PARAMETER', {
          field: 'Content',
          message: 'Content: the file is missing from the submission.',
        });
      const template = await templateId(ctx, 'AttachmentTemplate', name, parent);
      const known = `${template} ${file.hash}`;
      const same = isNewCase && !sent.has(known) ? undefined : await findSameDocument(ctx, parent, template, file.hash);
      sent.add(known);
      if (same !== undefined) {
        log.unchanged(record.name, same, referenceOf(element));
        return undefined;
      }
      return savedRecord(
        await ctx.call(
          'attachment/save',
          { TemplateID: template, Object: parent.record.name, ObjectID: parent.id, Staged: file.token },
          values,
        ),
        undefined,
      );
    });
  }
}

async function findSameDocument(
  ctx: Context,
  parent: KnownParent,
  template: number,
  hash: string,
): Promise<number | undefined> {
  const [same] = await ctx.db.query<{ id: number }>(
    `select attachmentid as id from attachment where object = $1::text and objectid = $2::bigint
      and attachmenttemplateid = $3::bigint and filehash = $4::text limit 1`,
    [parent.record.name, parent.id, template, hash],
  );
  return same?.id;
}
