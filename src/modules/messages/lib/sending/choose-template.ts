import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { findRecord } from '../../../../kernel/records/search/read.ts';
import { findTemplate, templateById } from '../../../../kernel/records/save/template.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import type { messageTemplate } from '../../messagetemplate/messagetemplate.record.ts';
import type { Recipient } from '../recipients/recipient.ts';

/** A stored template. */
export type TemplateRow = Row<typeof messageTemplate>;

/** How a call names a template. */
export interface TemplateChoice {
  readonly Template?: string | null | undefined;
  readonly MessageTemplateID?: number | null | undefined;
  /** The record type of the message's record. */
  readonly parentClass: string | undefined;
}

/** Returns the template that a call names; undefined if it names none. Throws BAD_PARAMETER for an unknown one. */
export async function namedTemplate(
  ctx: Context,
  { Template, MessageTemplateID, parentClass }: TemplateChoice,
): Promise<TemplateRow | undefined> {
  const record = ctx.registry.recordType('MessageTemplate');
  if (typeof MessageTemplateID === 'number') {
    const { id } = await templateById(ctx, record, MessageTemplateID, 'MessageTemplateID');
    return readTemplate(ctx, id);
  }
  if (typeof Template !== 'string' || Template.trim() === '') return undefined;
  const { id } = await findTemplate(ctx, record, { name: Template.trim(), parentClass, field: 'Template' });
  return readTemplate(ctx, id);
}

async function readTemplate(ctx: Context, id: number): Promise<TemplateRow | undefined> {
  const record = ctx.registry.recordType('MessageTemplate');
  const { configuration } = ctx;
  return (
    (await configuration.get(`messagetemplate:${id}`, () => findRecord(configuration.db, record, id))) ??
    // Not among the committed ones: this transaction may have created it.
    findRecord(ctx.db, record, id)
  );
}

/** A template with the version of it that is sent. */
export interface ChosenTemplate {
  /** The template that decides recipients, data and documents. */
  readonly base: TemplateRow;
  /** The version whose texts are sent: the template itself, or one in the language of the recipients. */
  readonly version: TemplateRow;
  /** Whether the receivers speak languages with different versions, so that the base is sent. */
  readonly isMixed: boolean;
}

/** Returns the version of a template for its receivers, or for a language that the caller chose. */
export async function versionFor(
  ctx: Context,
  template: TemplateRow,
  recipients: readonly Recipient[],
  language: string | null | undefined,
): Promise<ChosenTemplate> {
  if (template.VariantOfID !== null) {
    const base = (await readTemplate(ctx, template.VariantOfID)) ?? template;
    return { base, version: template, isMixed: false };
  }
  const versions = await versionsOf(ctx, template.MessageTemplateID);
  if (versions.length === 0) return { base: template, version: template, isMixed: false };
  const spoken = language ? [language] : languagesOf(recipients);
  const chosen = new Set(spoken.map((each) => versions.find((version) => isSameLanguage(version.Language, each))));
  const [version] = chosen;
  if (chosen.size > 1) return { base: template, version: template, isMixed: true };
  return { base: template, version: version ?? template, isMixed: false };
}

/** Returns the versions of a template in other languages. */
function versionsOf(ctx: Context, templateId: number): Promise<readonly TemplateRow[]> {
  const { configuration } = ctx;
  return configuration.get(`messagetemplate versions:${templateId}`, async () => {
    const found = await configuration.db.query<{ id: number }>(
      'select messagetemplateid as id from messagetemplate where variantofid = $1::bigint order by messagetemplateid',
      [templateId],
    );
    const rows = await Promise.all(found.map(({ id }) => readTemplate(ctx, id)));
    return rows.filter((row) => row !== undefined);
  });
}

/** Returns the languages of the recipients, each once; '' for one that is not known. */
function languagesOf(recipients: readonly Recipient[]): readonly string[] {
  const receivers = recipients.filter(({ kind }) => kind === 'To');
  const read = receivers.length > 0 ? receivers : recipients.filter(({ kind }) => kind !== 'ReplyTo');
  return [...new Set(read.map(({ language }) => fold(language ?? '')))];
}

/** Whether two names mean one language: `Spanish`, `es` and `es-MX` do. */
function isSameLanguage(name: string | null, other: string): boolean {
  return name !== null && name.trim() !== '' && languageKey(name) === languageKey(other);
}

const englishNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

function languageKey(name: string): string {
  const text = fold(name.trim());
  const [primary = ''] = text.split(/[-_]/);
  if (!/^[a-z]{2,3}$/.test(primary) || (primary !== text && !/^[a-z]{2,3}[-_][a-z0-9-]+$/.test(text))) return text;
  return fold(englishNames.of(primary) ?? text);
}
