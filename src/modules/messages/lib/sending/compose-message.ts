import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { concreteClass, findRecord, notFound } from '../../../../kernel/records/search/read.ts';
import { configuredDocument, dataDocument } from '../../../documents/public/document-data.ts';
import { gatherRecipients, type RecipientParameters } from '../recipients/gather-recipients.ts';
import { messageKinds, type FoundRecipients, type MessageKind } from '../recipients/recipient.ts';
import { MergeData, type MergeParent } from '../../../../lib/merge/merge-data.ts';
import {
  mergeTemplate,
  templateTexts,
  type MergedTexts,
  type TemplateText,
} from '../../../../lib/merge/merge-template.ts';
import { assertMaySendAs } from './assert-sender.ts';
import { namedTemplate, versionFor, type ChosenTemplate, type TemplateRow } from './choose-template.ts';
import type { MessageDraft } from './message-draft.ts';

/** What a caller sends to write a message. */
export interface Composition extends RecipientParameters {
  readonly Template?: string | null;
  readonly MessageTemplateID?: number | null;
  readonly Object?: string | null;
  readonly ObjectID?: number | null;
  readonly DefaultRecipients?: boolean | null;
  readonly Subject?: string | null;
  readonly BodyText?: string | null;
  readonly BodyHTML?: string | null;
  readonly FromAddress?: string | null;
  readonly FromName?: string | null;
  readonly Priority?: number | null;
  readonly SecureDelivery?: boolean | null;
  readonly ParentMessageID?: number | null;
  readonly MessageType?: MessageKind | null;
  readonly Language?: string | null;
  readonly AttachmentID?: readonly number[] | null;
  readonly Provider?: string | null;
  readonly MergeSubstitution?: boolean | null;
}

/** A composed message, and the version of the template that it uses. */
export interface ComposedMessage {
  readonly draft: MessageDraft;
  readonly template: ChosenTemplate | undefined;
  readonly data: MergeData;
}

/** The parts of a message that are not sent by the caller but come from a template that is not stored. */
export type TemplateFields = Partial<TemplateRow>;

/** What a message is written from besides the parameters of the call. */
export interface CompositionSource {
  /** The values of the call that merge fields refer to. */
  readonly values: Parameters;
  /** Fields of the template as they are being edited; they replace the stored ones. */
  readonly edited?: TemplateFields | undefined;
  /** Takes what is wrong with the message, which is then composed without it; by default it is thrown. */
  readonly report?: (problem: PlatformError) => void;
}

/**
 * Returns the message that a call describes: the template's texts with the data of the record filled in, what the
 * caller sent instead, and all recipients. Stores nothing. Needs a transaction.
 *
 * @throws BAD_TEMPLATE for a text that cannot be merged; BAD_PARAMETER for an unknown template or an invalid address;
 * MISSING_PARAMETER without anything to write; NO_PERMISSION for the address of another sender
 */
export async function composeMessage(
  ctx: Context,
  sent: Composition,
  { values, edited, report }: CompositionSource,
): Promise<ComposedMessage> {
  await reporting(report, () => assertMaySendAs(ctx, sent.FromAddress));
  const replied = await repliedMessage(ctx, sent.ParentMessageID);
  const parent = await parentRecord(ctx, sent.Object ?? replied?.Object, sent.ObjectID ?? replied?.ObjectID);
  const named = await templateOf(ctx, sent, parent, edited);
  const kind = kindOfMessage(sent, named);
  const data = new MergeData(ctx, { values, parent, method: named?.Method ?? null });
  const isDraft = edited !== undefined;
  const defaults = sent.DefaultRecipients === false ? undefined : await recipientTemplate(ctx, named);
  const gather = (): Promise<FoundRecipients> =>
    gatherRecipients(ctx, { message: kind, sent, template: defaults, data, isDraft });
  const found = (await reporting(report, gather)) ?? { recipients: [], missing: [] };
  const template =
    named &&
    (edited
      ? { base: named, version: named, isMixed: false }
      : await versionFor(ctx, named, found.recipients, sent.Language));
  const texts = await textsOf(ctx, sent, { template, data, isDraft, report });
  const draft = draftOf(sent, { kind, parent, template, texts, found });
  await reporting(report, async () => assertHasContent(draft));
  return { draft, template, data };
}

/** Of a version in another language, the recipients are those of the template that it translates. */
async function recipientTemplate(ctx: Context, named: TemplateRow | undefined): Promise<TemplateRow | undefined> {
  if (!named || named.VariantOfID === null) return named;
  return (await namedTemplate(ctx, { MessageTemplateID: named.VariantOfID, parentClass: undefined })) ?? named;
}

async function repliedMessage(
  ctx: Context,
  id: number | null | undefined,
): Promise<{ readonly Object: string | null; readonly ObjectID: number | null } | undefined> {
  if (typeof id !== 'number') return undefined;
  const record = ctx.registry.recordType('Message');
  const found = await findRecord(ctx.db, record, id);
  if (!found) throw notFound(record, id, 'ParentMessageID');
  return found;
}

async function parentRecord(
  ctx: Context,
  className: string | null | undefined,
  id: number | null | undefined,
): Promise<MergeParent | undefined> {
  if (typeof className !== 'string') return undefined;
  if (typeof id !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ObjectID',
      message: 'ObjectID is required with Object: the record that the message is about.',
    });
  return { record: await concreteClass(ctx, ctx.db, ctx.registry.requireRecord(className, 'Object'), id), id };
}

async function templateOf(
  ctx: Context,
  sent: Composition,
  parent: MergeParent | undefined,
  edited: TemplateFields | undefined,
): Promise<TemplateRow | undefined> {
  const stored = await namedTemplate(ctx, {
    Template: sent.Template,
    MessageTemplateID: sent.MessageTemplateID,
    parentClass: parent?.record.name,
  });
  if (!edited) return stored;
  const empty = Object.fromEntries(ctx.registry.recordType('MessageTemplate').shown.map(({ name }) => [name, null]));
  return { ...empty, ...stored, ...edited } as TemplateRow;
}

function kindOfMessage({ MessageType }: Composition, template: TemplateRow | undefined): MessageKind {
  const type = MessageType ?? template?.MessageTemplateType ?? '';
  return messageKinds.find((kind) => kind.toLowerCase() === type.toLowerCase()) ?? 'Email';
}

/** Runs a part of the composition; what is wrong with it is reported, if anybody takes reports. */
async function reporting<T>(report: CompositionSource['report'], run: () => Promise<T>): Promise<T | undefined> {
  if (!report) return run();
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
    report(error);
    return undefined;
  }
}

/** What the texts of a message are made of. */
interface TextParts {
  readonly template: ChosenTemplate | undefined;
  readonly data: MergeData;
  readonly isDraft: boolean;
  readonly report: CompositionSource['report'];
}

async function textsOf(
  ctx: Context,
  sent: Composition,
  { template, data, isDraft, report }: TextParts,
): Promise<MergedTexts> {
  const own = textsIn(sent);
  if (!template) return own;
  const { base, version } = template;
  const merged = {
    ...version,
    FromAddress: version.FromAddress ?? base.FromAddress,
    FromName: version.FromName ?? base.FromName,
  };
  // Whoever sends a stored template need not reach its stylesheet; of one that is being edited, the caller names it.
  const stylesheet = (id: number) => (isDraft ? dataDocument(ctx, id) : configuredDocument(ctx, id));
  const without = new Set(Object.keys(own) as TemplateText[]);
  // One body that the caller wrote replaces both of the template: they would say different things.
  if (own.BodyText !== undefined || own.BodyHTML !== undefined) without.add('BodyText').add('BodyHTML');
  if (sent.MergeSubstitution === false) {
    const plain = Object.entries(textsIn(merged)).filter(([name]) => !without.has(name as TemplateText));
    return { ...Object.fromEntries(plain), ...own };
  }
  if (!report) return { ...(await mergeTemplate(ctx, merged, data, { without, stylesheet })), ...own };
  // Text by text, so that each is shown whose fields are right.
  const shown: MergedTexts[] = [];
  for (const name of templateTexts.filter((each) => !without.has(each))) {
    const others = new Set(templateTexts.filter((each) => each !== name));
    shown.push(
      (await reporting(report, () => mergeTemplate(ctx, merged, data, { without: others, stylesheet }))) ?? {},
    );
  }
  return Object.assign({}, ...shown, own) as MergedTexts;
}

function textsIn(texts: { readonly [K in TemplateText]?: string | null | undefined }): MergedTexts {
  return Object.fromEntries(templateTexts.flatMap((name) => ((texts[name] ?? '') === '' ? [] : [[name, texts[name]]])));
}

/** What a draft is made of. */
interface DraftParts {
  readonly kind: MessageKind;
  readonly parent: MergeParent | undefined;
  readonly template: ChosenTemplate | undefined;
  readonly texts: MergedTexts;
  readonly found: FoundRecipients;
}

function draftOf(sent: Composition, { kind, parent, template, texts, found }: DraftParts): MessageDraft {
  const { base, version } = template ?? {};
  return {
    kind,
    values: {
      Message: first(texts.Subject),
      BodyText: first(texts.BodyText),
      BodyHTML: first(texts.BodyHTML),
      FromAddress: first(texts.FromAddress),
      FromName: first(texts.FromName),
      MessageType: first(sent.MessageType, base?.MessageTemplateType, found.recipients.length > 0 ? kind : null),
      Priority: first(sent.Priority),
      SecureDelivery: first(sent.SecureDelivery, base?.SecureDelivery),
      ParentMessageID: first(sent.ParentMessageID),
      MessageTemplateID: first(base?.MessageTemplateID),
      Object: first(parent?.record.name),
      ObjectID: first(parent?.id),
    },
    recipients: found.recipients,
    missing: found.missing,
    attachmentIds: [...new Set(sent.AttachmentID ?? [])],
    documentTypes: splitCommaList(first(version?.AttachmentTemplates, base?.AttachmentTemplates) ?? ''),
    provider: first(sent.Provider, base?.Provider),
    isBulk: base?.IsBulk === true,
  };
}

/** Returns the first value that there is, or null. */
function first<T>(...values: readonly (T | null | undefined)[]): T | null {
  return values.find((value) => value !== null && value !== undefined) ?? null;
}

function assertHasContent({ values }: MessageDraft): void {
  if ([values.Message, values.BodyText, values.BodyHTML].some((text) => (text ?? '').trim() !== '')) return;
  throw new PlatformError('MISSING_PARAMETER', {
    field: 'Template',
    message: 'Template: expected a message template whose texts are not empty, or Subject, BodyText or BodyHTML.',
  });
}
