import type { DataShape } from '../../../../contracts/generator.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { checkSignature } from '../../../../kernel/door/signature.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { findRecord } from '../../../../kernel/records/search/read.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import { dataDocument, dataShape } from '../../../documents/public/document-data.ts';
import { checkLiquid } from '../../../../lib/merge/liquid-texts.ts';
import { methodUse } from '../../../../lib/merge/merge-data.ts';
import { badExpression } from '../../../../lib/merge/merge-error.ts';
import { isName, mergeFields } from '../../../../lib/merge/merge-fields.ts';
import { fieldsOf, templateTexts, type TemplateText } from '../../../../lib/merge/merge-template.ts';
import { badStylesheet, stylesheetText } from '../../../../lib/merge/stylesheet-body.ts';
import { splitAddresses } from '../../lib/recipients/address-list.ts';
import { checkedAddress } from '../../lib/recipients/recipient-address.ts';
import { recipientKinds } from '../../lib/recipients/recipient.ts';
import type { TemplateRow } from '../../lib/sending/choose-template.ts';
import { kindOfStored } from '../../lib/sending/stored-kind.ts';

/** A template as it will be stored, and the columns that a save changes. */
export interface SavedTemplate {
  readonly row: Partial<TemplateRow>;
  readonly changed: ReadonlySet<string>;
}

/** Values that calls of workflow steps have, besides the fields of their record. */
const STEP_VALUES = [
  'DecisionID',
  'DecisionTemplateID',
  'DecisionStepID',
  'DecisionStepTemplateID',
  'Object',
  'ObjectID',
];
/** How deep the linked records of a record are searched for a field. */
const SHAPE_DEPTH_MAX = 3;

/** Throws for a template whose messages could not be generated; warns of fields that its data do not have. */
export async function checkTemplate(ctx: Context, saved: SavedTemplate): Promise<void> {
  await checkMethods(ctx, saved);
  await checkAddresses(ctx, saved);
  await checkAttachments(ctx, saved);
  await checkVariant(ctx, saved);
  const names = await checkTexts(ctx, saved);
  await checkStylesheet(ctx, saved);
  await warnUnknownFields(ctx, saved, names);
}

/** Returns a signature with its module: without one it is an operation of Message. Empty for none. */
export function withModule(method: string | null | undefined): string {
  const text = (method ?? '').trim();
  const [head = ''] = text.split('?');
  return text === '' || head.includes('/') ? text : `Message/${text}`;
}

async function checkMethods(ctx: Context, { row, changed }: SavedTemplate): Promise<void> {
  const columns = ['Method', ...recipientKinds.map((kind) => `${kind}Method` as const)] as const;
  for (const field of columns) {
    const signature = row[field] ?? '';
    if (changed.has(field) && signature.trim() !== '') await checkSignature(ctx, signature, { ...methodUse, field });
  }
}

async function checkAddresses(ctx: Context, { row, changed }: SavedTemplate): Promise<void> {
  const message = kindOfStored(row.MessageTemplateType ?? null);
  for (const kind of recipientKinds) {
    const field = `${kind}Address` as const;
    if (!changed.has(field)) continue;
    for (const { address } of splitAddresses(row[field] ?? '', field)) {
      const expressions = mergeFields(address).map(({ expression }) => expression);
      if (expressions.length === 0) checkedAddress(address, message, field);
      else await checkExpressions(ctx, field, expressions);
    }
  }
  const from = row.FromAddress ?? '';
  if (changed.has('FromAddress') && from !== '' && mergeFields(from).length === 0)
    checkedAddress(from, 'Email', 'FromAddress');
}

async function checkAttachments(ctx: Context, { row, changed }: SavedTemplate): Promise<void> {
  if (!changed.has('AttachmentTemplates')) return;
  const record = ctx.registry.recordType('AttachmentTemplate');
  for (const name of splitCommaList(row.AttachmentTemplates ?? ''))
    await findTemplate(ctx, record, { name, parentClass: row.AppliesTo ?? undefined, field: 'AttachmentTemplates' });
}

async function checkVariant(ctx: Context, { row, changed }: SavedTemplate): Promise<void> {
  const { VariantOfID: baseId } = row;
  if (typeof baseId !== 'number' || !(changed.has('VariantOfID') || changed.has('Language'))) return;
  if ((row.Language ?? '').trim() === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Language',
      message: 'Language is required with VariantOfID: the language of this version, such as Spanish.',
    });
  const base = await findRecord(ctx.db, ctx.registry.recordType('MessageTemplate'), baseId);
  if (baseId === row.MessageTemplateID || (base?.VariantOfID ?? null) !== null)
    throw bad('VariantOfID', 'a template that is not itself a translation');
}

/** Checks the expressions of the texts, and returns the names that each text refers to. */
async function checkTexts(
  ctx: Context,
  { row, changed }: SavedTemplate,
): Promise<ReadonlyMap<TemplateText, readonly string[]>> {
  const texts = templateTexts
    .filter((name) => changed.has(name) || changed.has('BodyLanguage'))
    .map((name) => [name, row[name] ?? ''] as const)
    .filter(([, text]) => text !== '');
  const isLiquid = ([name]: readonly [TemplateText, string]): boolean =>
    row.BodyLanguage === 'Liquid' && !name.startsWith('From');
  const liquid = await checkLiquid(ctx, texts.filter(isLiquid));
  const names = new Map<TemplateText, readonly string[]>(liquid);
  for (const text of texts.filter((each) => !isLiquid(each))) {
    const [name, content] = text;
    const expressions = fieldsOf(name, content).map(({ expression }) => expression);
    await checkExpressions(ctx, name, expressions);
    names.set(name, expressions.filter(isName));
  }
  return names;
}

async function checkExpressions(ctx: Context, field: string, expressions: readonly string[]): Promise<void> {
  const paths = [...new Set(expressions)].filter((expression) => !isName(expression));
  if (paths.length === 0) return;
  try {
    await ctx.sandbox.checkXPath(paths);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'BAD_XPATH') throw error;
    throw badExpression(field, paths[Number(error.details?.['index'] ?? 0)] ?? '', error.message);
  }
}

async function checkStylesheet(ctx: Context, { row, changed }: SavedTemplate): Promise<void> {
  if (!changed.has('BodyXsltID') || typeof row.BodyXsltID !== 'number') return;
  const text = await stylesheetText(row.BodyXsltID, await dataDocument(ctx, row.BodyXsltID));
  try {
    await ctx.sandbox.compile(text, sandboxScope(ctx.user));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'BAD_STYLESHEET') throw error;
    throw badStylesheet(row.BodyXsltID, error.message);
  }
}

async function warnUnknownFields(
  ctx: Context,
  { row }: SavedTemplate,
  names: ReadonlyMap<TemplateText, readonly string[]>,
): Promise<void> {
  if ([...names.values()].every((each) => each.length === 0)) return;
  const method = withModule(row.Method);
  const shape = await dataShape(ctx, { method, appliesTo: row.AppliesTo ?? null });
  if (!shape) return;
  const own = shapeNames(shape, SHAPE_DEPTH_MAX);
  const record = method === '' ? undefined : await recordShape(ctx, row);
  const known = new Set([...own, ...(record ? shapeNames(record, SHAPE_DEPTH_MAX) : []), ...STEP_VALUES]);
  const lower = new Set([...known].map((name) => name.toLowerCase()));
  for (const [text, used] of names)
    for (const name of new Set(used.filter((each) => !lower.has(each.toLowerCase()))))
      ctx.alert({
        code: 'TEMPLATE',
        text:
          `${text}: {${name.slice(0, 100)}} is not a field of the data; it is empty unless the call sends a value of ` +
          `this name.${namesHint(name, known)}`,
      });
}

function recordShape(ctx: Context, { AppliesTo }: Partial<TemplateRow>): Promise<DataShape | undefined> {
  return dataShape(ctx, { method: '', appliesTo: AppliesTo ?? null });
}

/** Returns the names of all fields, links and lists of a shape. */
function shapeNames({ fields, links, lists }: DataShape, depth: number): ReadonlySet<string> {
  const names = new Set([...fields.map(({ name }) => name), ...links.keys(), ...lists.keys()]);
  if (depth <= 1) return names;
  for (const [link, below] of [...links, ...lists])
    // Of a record below others, any type may be the parent; those have too many names to suggest one of.
    if (!link.startsWith('Parent')) for (const name of shapeNames(below(), depth - 1)) names.add(name);
  return names;
}
