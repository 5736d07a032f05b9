import { parameter, type Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { MergeData } from '../../../../../lib/merge/merge-data.ts';
import { mergeTemplate, type TemplateText } from '../../../../../lib/merge/merge-template.ts';
import { configuredDocument } from '../../../../documents/public/document-data.ts';
import type { StepRun } from './run-step.ts';

/** The texts of a template, with the parameters of a message that have them. */
const texts: Readonly<Record<TemplateText, readonly [column: string, ...synonyms: string[]]>> = {
  Subject: ['Message', 'Subject'],
  BodyText: ['BodyText'],
  BodyHTML: ['BodyHTML'],
  FromAddress: ['FromAddress'],
  FromName: ['FromName'],
};

/**
 * Returns the texts of a message from its template, as parameters to save it with. Merge fields are those of the step,
 * and the answer of the template's Method. Leaves out what `sent` has.
 */
export async function messageContent(run: StepRun, templateId: number, sent: Parameters): Promise<Parameters> {
  const { ctx, values, own } = run;
  const { record, id } = values;
  const template = await readRecord(ctx.db, ctx.registry.recordType('MessageTemplate'), templateId);
  const data = new MergeData(ctx, {
    values: Object.fromEntries(own),
    parent: record && id !== undefined ? { record, id } : undefined,
    method: template.Method,
    summary: () => values.summary(),
  });
  const all = Object.entries(texts) as [TemplateText, readonly [string, ...string[]]][];
  const known = all.filter(([, names]) => names.some((name) => parameter(sent, name) !== undefined));
  const merged = await mergeTemplate(ctx, template, data, {
    without: new Set(known.map(([text]) => text)),
    stylesheet: (documentId) => configuredDocument(ctx, documentId),
  });
  return Object.fromEntries(
    all.flatMap(([text, [column]]) => (merged[text] === undefined ? [] : [[column, merged[text]]])),
  );
}
