import type { Context } from '../../../../kernel/door/context.ts';
import type { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import type { MergeData } from '../../../../lib/merge/merge-data.ts';
import { nothingFound } from '../../../../lib/merge/merge-error.ts';
import { fieldsOf, templateTexts } from '../../../../lib/merge/merge-template.ts';
import {
  composeMessage,
  type ComposedMessage,
  type Composition,
  type TemplateFields,
} from '../../lib/sending/compose-message.ts';
import { composeWarnings } from '../../lib/sending/compose-warnings.ts';

/** What is wrong with a message. */
interface MessageProblem {
  readonly Field: string | null;
  readonly Text: string;
  /** Whether the message cannot be generated; otherwise it is a warning. */
  readonly IsError: boolean;
}

/** Most recipients that a preview lists. */
const RECIPIENTS_SHOWN_MAX = 200;
/** The beginning of parameters that are fields of a template. */
const TEMPLATE_PREFIX = /^messagetemplate_(?!id$)/i;

/** Composes a message and returns what it would be, with everything that is wrong. Stores nothing. */
export async function previewMessage(ctx: Context, sent: Composition, rest: Parameters) {
  const problems: MessageProblem[] = [];
  const report = ({ field, message }: PlatformError): void => {
    problems.push({ Field: field ?? null, Text: message, IsError: true });
  };
  const { values, fields } = splitParameters(rest);
  const composed = await composeMessage(ctx, sent, { values, edited: editedFields(ctx, fields), report });
  const { draft, template } = composed;
  problems.push(...(await emptyFields(composed)));
  problems.push(...composeWarnings(composed).map(({ text }) => ({ Field: null, Text: text, IsError: false })));
  return {
    Subject: draft.values.Message ?? null,
    BodyText: draft.values.BodyText ?? null,
    BodyHTML: draft.values.BodyHTML ?? null,
    FromAddress: draft.values.FromAddress ?? null,
    FromName: draft.values.FromName ?? null,
    MessageType: draft.kind,
    MessageTemplateID: template?.base.MessageTemplateID ?? null,
    VersionID: template?.version.MessageTemplateID ?? null,
    SecureDelivery: draft.values.SecureDelivery ?? null,
    Provider: draft.provider,
    RecipientCount: draft.recipients.length,
    Recipients: draft.recipients
      .slice(0, RECIPIENTS_SHOWN_MAX)
      .map(({ kind, address, name, contactId, personId, source }) => ({
        Kind: kind,
        Address: address,
        Name: name,
        ContactID: contactId,
        PersonID: personId,
        Source: source,
      })),
    DocumentTypes: draft.documentTypes,
    Problems: problems,
  };
}

function splitParameters(rest: Parameters): { readonly values: Parameters; readonly fields: Parameters } {
  const entries = Object.entries(rest);
  const isField = ([name]: [string, unknown]): boolean => TEMPLATE_PREFIX.test(name);
  return {
    values: Object.fromEntries(entries.filter((entry) => !isField(entry))),
    fields: Object.fromEntries(
      entries.filter(isField).map(([name, value]) => [name.replace(TEMPLATE_PREFIX, ''), value]),
    ),
  };
}

/** Returns the fields of a template that is being edited; undefined without any. Throws UNKNOWN_PARAMETER. */
function editedFields(ctx: Context, fields: Parameters): TemplateFields | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  return planSave(ctx.registry, ctx.registry.recordType('MessageTemplate'), fields, planOptions(ctx))
    .values as TemplateFields;
}

/** Returns a warning for each merge field that finds nothing: it becomes empty text, if it is not refused. */
async function emptyFields({ template, data }: ComposedMessage): Promise<MessageProblem[]> {
  if (!template) return [];
  const missing = new Set(data.missing);
  const problems: MessageProblem[] = [];
  for (const name of templateTexts)
    for (const { expression } of fieldsOf(name, template.version[name] ?? ''))
      if (missing.delete(expression)) problems.push(await emptyField(name, expression, data));
  return problems;
}

async function emptyField(name: string, expression: string, data: MergeData): Promise<MessageProblem> {
  const { message } = await nothingFound(name, expression, data);
  return { Field: name, Text: message, IsError: false };
}
