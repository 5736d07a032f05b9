import type { Row } from '../../../../../kernel/door/answer.ts';
import { fillSignature, parseSignature, type Resolve } from '../../../../../kernel/door/signature.ts';
import { parameter, type Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { escapeAttribute } from '../../../../../kernel/xml/element.ts';
import type { messageTemplate } from '../../../../messages/messagetemplate/messagetemplate.record.ts';
import { columnText } from '../../../lib/column-text.ts';
import { methodValues } from './call-operation.ts';
import type { StepRun } from './run-step.ts';

type MessageTemplateRow = Row<typeof messageTemplate>;

/** A merge field: a name, or an XPath that begins with a slash. Other braces are text, such as those of CSS. */
const MERGE_FIELD = /\{([A-Za-z_]\w*|\/[^{}\n]+)\}/g;

/** The texts of a message that its template has, by the column of the message. */
const texts = {
  Message: ({ Subject }: MessageTemplateRow) => Subject,
  BodyText: ({ BodyText }: MessageTemplateRow) => BodyText,
  BodyHTML: ({ BodyHTML }: MessageTemplateRow) => BodyHTML,
  FromAddress: ({ FromAddress }: MessageTemplateRow) => FromAddress,
  FromName: ({ FromName }: MessageTemplateRow) => FromName,
} as const;

/**
 * Returns the texts of a message from its template, as parameters to save it with. Merge fields are those of the step,
 * and the answer of the template's Method. Leaves out what `sent` has.
 */
export async function messageContent(run: StepRun, templateId: number, sent: Parameters): Promise<Parameters> {
  const { ctx } = run;
  const template = await readRecord(ctx.db, ctx.registry.recordType('MessageTemplate'), templateId);
  const resolve = rememberedValues(await resolverOf(run, template));
  const content: Record<string, string> = {};
  for (const [name, textOf] of Object.entries(texts)) {
    const text = textOf(template) ?? '';
    if (text === '' || isSent(sent, name)) continue;
    const filled = await filledText(
      text,
      name === 'BodyHTML' ? async (of) => escapeAttribute(await resolve(of)) : resolve,
    );
    // A subject or a name is one line.
    content[name] = name.startsWith('Body') ? filled : filled.replace(/\s+/g, ' ').trim();
  }
  return content;
}

async function resolverOf({ ctx, values, own }: StepRun, { Method: method }: MessageTemplateRow): Promise<Resolve> {
  if ((method ?? '') === '') return values.resolver(own);
  const signature = parseSignature(method ?? '', { field: 'Method', module: 'message' });
  const answer = await ctx.callNamed(signature.route, await fillSignature(signature, values.resolver(own)));
  return values.resolver(own, methodValues(answer));
}

/** Returns each value as text, looked up once. */
function rememberedValues(resolve: Resolve): (expression: string) => Promise<string> {
  const known = new Map<string, string>();
  return async (expression) => {
    const value = known.get(expression) ?? columnText(await resolve(expression));
    known.set(expression, value);
    return value;
  };
}

function isSent(sent: Parameters, name: string): boolean {
  return parameter(sent, name) !== undefined || (name === 'Message' && parameter(sent, 'Subject') !== undefined);
}

async function filledText(text: string, valueOf: (expression: string) => Promise<string>): Promise<string> {
  let filled = '';
  let at = 0;
  for (const { 0: field, 1: expression = '', index } of text.matchAll(MERGE_FIELD)) {
    filled += text.slice(at, index) + (await valueOf(expression));
    at = index + field.length;
  }
  return filled + text.slice(at);
}
