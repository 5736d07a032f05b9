import type { Context } from '../../../kernel/context.ts';
import { timeZone } from '../../../kernel/core-settings.ts';
import type { StagedDocument } from '../../../kernel/documents.ts';
import { PlatformError } from '../../../kernel/errors.ts';
import { f } from '../../../kernel/field.ts';
import { parseValue } from '../../../kernel/parse-value.ts';
import type { KnownParent } from '../../../kernel/records/write.ts';
import { activeCondition } from '../../../kernel/records/state.ts';
import { findTemplate } from '../../../kernel/records/template.ts';
import { childOf, childText, type XmlElement } from '../../../kernel/xml/element.ts';
import { referenceOf, type ItemLog } from './item-log.ts';

const completionField = f.timestamp({ doc: 'When it ended.' });

const items = (item: XmlElement, name: string): readonly XmlElement[] => childOf(item, name)?.children ?? [];

const leaves = (element: XmlElement): Record<string, string> => Object.fromEntries(element.children.filter((c) => c.children.length === 0).map((c) => [c.name, c.text.trim()]));

async function templateId(ctx: Context, record: string, name: string, parent: KnownParent): Promise<number> {
  return (await findTemplate(ctx, ctx.registry.requireRecord(record, 'Template'), name, parent.record.name, 'Template')).id;
}

/** The open instance of a template under a parent, or the ended one that is just what is sent again. */
async function findAgain(ctx: Context, table: 'importform' | 'decisiondelay', template: number, parent: KnownParent, completion: string | undefined): Promise<{ id: number; same: boolean } | undefined> {
  const record = ctx.registry.requireRecord(table, 'Object');
  const [row] = await ctx.db.query<{ id: number; open: boolean }>(
    `select ${table}id as id, (${activeCondition(record)}) as open from ${table}
     where object = $1::text and objectid = $2::bigint and ${table}templateid = $3::bigint and ((${activeCondition(record)}) or actualcompletion = $4::timestamptz)
     order by open desc, ${table}id desc limit 1`,
    [parent.record.name, parent.id, template, completion ?? null],
  );
  return row && { id: row.id, same: !row.open };
}

/** Completion dates are kept as instants: what is sent is read as the record itself reads it. */
function instant(ctx: Context, text: string | undefined): string | undefined {
  return text ? (parseValue(completionField, text, 'ActualCompletion', { timeZone: ctx.settings.get(timeZone) }) as string) : undefined;
}

/** Holds: one sent again is the open hold of its template. */
export async function importDelays(ctx: Context, item: XmlElement, parent: KnownParent, fresh: boolean, log: ItemLog): Promise<void> {
  const record = ctx.registry.requireRecord('DecisionDelay', 'Object');
  const seen = new Set<number>();
  for (const element of items(item, 'Delays')) {
    await log.nested(ctx, record, element, async () => {
      const template = await templateId(ctx, 'DecisionDelayTemplate', childText(element, 'Template') ?? '', parent);
      const again = fresh && !seen.has(template) ? undefined : await findAgain(ctx, 'decisiondelay', template, parent, instant(ctx, childText(element, 'ActualCompletion')));
      seen.add(template);
      if (again?.same) {
        log.unchanged(record.name, again.id, referenceOf(element));
        return undefined;
      }
      const { Template: _name, ...values } = leaves(element);
      return ctx.call('decisiondelay/save', again ? { ...values, ID: again.id } : { ...values, TemplateID: template, Object: parent.record.name, ObjectID: parent.id });
    });
  }
}

/** Steps: one sent again is the open step of its template. A message sent with it becomes the step's own. */
export async function importForms(ctx: Context, item: XmlElement, parent: KnownParent, fresh: boolean, log: ItemLog): Promise<void> {
  const record = ctx.registry.requireRecord('ImportForm', 'Object');
  const seen = new Set<number>();
  for (const element of items(item, 'Forms')) {
    const { Messages_0_Message: subject, Messages_0_BodyText: body, Template: name = '', ...values } = leaves(element);
    const messages: { text: string; form: number | undefined } = { text: '', form: undefined };
    const row = await log.nested(ctx, record, element, async () => {
      const template = await templateId(ctx, 'ImportFormTemplate', name, parent);
      const again = fresh && !seen.has(template) ? undefined : await findAgain(ctx, 'importform', template, parent, instant(ctx, values['ActualCompletion']));
      seen.add(template);
      if (again?.same) {
        log.unchanged(record.name, again.id, referenceOf(element));
        messages.form = again.id;
        return undefined;
      }
      return ctx.call('importform/save', again ? { ...values, ID: again.id } : { ...values, TemplateID: template, Object: parent.record.name, ObjectID: parent.id });
    });
    const formId = row ? Number(row['ImportFormID']) : messages.form;
    if (formId === undefined || (!subject && !body)) continue;
    ctx.reached.add(`ImportForm:${formId}`);
    await saveMessage(ctx, element, { record, id: formId }, { Message: subject ?? '', BodyText: body ?? '' }, undefined, log);
  }
}

/** Messages: one that is on the process already is not added again. */
export async function importMessages(ctx: Context, item: XmlElement, parent: KnownParent, _fresh: boolean, log: ItemLog): Promise<void> {
  for (const element of items(item, 'Messages')) {
    const { Template: name = '', ...values } = leaves(element);
    await saveMessage(ctx, element, parent, values, name, log);
  }
}

async function saveMessage(ctx: Context, element: XmlElement, parent: KnownParent, values: Record<string, string>, templateName: string | undefined, log: ItemLog): Promise<void> {
  const record = ctx.registry.requireRecord('Message', 'Object');
  await log.nested(ctx, record, element, async () => {
    const template = templateName === undefined ? null : await templateId(ctx, 'MessageTemplate', templateName, parent);
    const [same] = await ctx.db.query<{ id: number }>(
      `select messageid as id from message where object = $1::text and objectid = $2::bigint and messagetemplateid is not distinct from $3::bigint
       and coalesce(message, '') collate "C" = $4::text and coalesce(bodytext, '') collate "C" = $5::text limit 1`,
      [parent.record.name, parent.id, template, values['Message'] ?? '', values['BodyText'] ?? ''],
    );
    if (same) {
      log.unchanged(record.name, same.id, referenceOf(element));
      return undefined;
    }
    return ctx.call('message/save', { ...values, ...(template === null ? {} : { TemplateID: template }), Object: parent.record.name, ObjectID: parent.id });
  });
}

/** Documents: one with the same template and content that is on the process already is not added again. */
export async function importAttachments(ctx: Context, item: XmlElement, parent: KnownParent, fresh: boolean, files: ReadonlyMap<string, StagedDocument>, log: ItemLog): Promise<void> {
  const record = ctx.registry.requireRecord('Attachment', 'Object');
  for (const element of items(item, 'Attachments')) {
    await log.nested(ctx, record, element, async () => {
      const { Template: name = '', Content: token = '', ...values } = leaves(element);
      const file = files.get(token);
      if (!file) throw new PlatformError('BAD_PARAMETER', { field: 'Content', message: 'Content: the file was not sent.' });
      const template = await templateId(ctx, 'AttachmentTemplate', name, parent);
      const same = fresh ? undefined : await sameAttachment(ctx, parent, template, file.hash);
      if (same !== undefined) {
        log.unchanged(record.name, same, referenceOf(element));
        return undefined;
      }
      return ctx.call('attachment/save', { ...values, TemplateID: template, Object: parent.record.name, ObjectID: parent.id, Staged: file.token });
    });
  }
}

async function sameAttachment(ctx: Context, parent: KnownParent, template: number, hash: string): Promise<number | undefined> {
  const [same] = await ctx.db.query<{ id: number }>('select attachmentid as id from attachment where object = $1::text and objectid = $2::bigint and attachmenttemplateid = $3::bigint and filehash = $4::text limit 1', [parent.record.name, parent.id, template, hash]);
  return same?.id;
}
