import type { FileContent } from '../../contracts/file-content.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Context } from '../../kernel/door/context.ts';
import { escapeAttribute } from '../../kernel/xml/element.ts';
import { suppressSubstitutionErrors } from '../../kernel/declare/core-settings.ts';
import { renderLiquid } from './liquid-texts.ts';
import type { MergeData } from './merge-data.ts';
import { badExpression, nothingFound } from './merge-error.ts';
import { fillFields, mergeFields, mergeFieldsOfHtml, type MergeField } from './merge-fields.ts';
import { stylesheetBody } from './stylesheet-body.ts';

/** The texts of a template, by the column of the template. */
export const templateTexts = ['Subject', 'BodyText', 'BodyHTML', 'FromAddress', 'FromName'] as const;

/** The name of a text of a template. */
export type TemplateText = (typeof templateTexts)[number];

/** A template, as far as it is merged. */
export type MergedTemplate = { readonly [K in TemplateText]: string | null } & {
  readonly BodyLanguage: string | null;
  /** The stylesheet that renders the body from the data. */
  readonly BodyXsltID: number | null;
};

/** What merging needs besides the template and the data. */
export interface MergeOptions {
  /** Texts that the message has already. */
  readonly without?: ReadonlySet<TemplateText>;
  /** Returns the file of a stylesheet that a template names; undefined without one. */
  readonly stylesheet: (documentId: number) => Promise<FileContent | undefined>;
}

/** The texts of a message. A text that the template does not have is absent. */
export type MergedTexts = { readonly [K in TemplateText]?: string };

/** Texts that Liquid renders if the template is written in it; addresses always have `{Field}` expressions. */
const LIQUID_TEXTS: ReadonlySet<TemplateText> = new Set(['Subject', 'BodyText', 'BodyHTML']);

/**
 * Returns the texts of a message: those of the template with the data filled in. Values in HTML are escaped.
 *
 * @throws BAD_TEMPLATE naming the text and the expression, with the nearest field if it finds nothing
 */
export async function mergeTemplate(
  ctx: Context,
  template: MergedTemplate,
  data: MergeData,
  { without = new Set(), stylesheet }: MergeOptions,
): Promise<MergedTexts> {
  const hasStylesheet = template.BodyXsltID !== null && !without.has('BodyHTML');
  const used = templateTexts.filter(
    (name) => (template[name] ?? '') !== '' && !without.has(name) && !(hasStylesheet && name === 'BodyHTML'),
  );
  const isLiquid = template.BodyLanguage === 'Liquid';
  const merged = await mergeFieldTexts(
    ctx,
    used.filter((name) => !isLiquid || !LIQUID_TEXTS.has(name)).map((name) => [name, template[name] ?? '']),
    data,
  );
  const rendered = isLiquid
    ? await renderLiquid(
        ctx,
        used.filter((name) => LIQUID_TEXTS.has(name)).map((name) => [name, template[name] ?? '']),
        data,
      )
    : new Map<TemplateText, string>();
  const texts: { -readonly [K in TemplateText]?: string } = {};
  for (const [name, text] of [...merged, ...rendered]) texts[name] = name.startsWith('Body') ? text : oneLine(text);
  if (hasStylesheet)
    texts.BodyHTML = await stylesheetBody(ctx, template.BodyXsltID, await stylesheet(template.BodyXsltID), data);
  return texts;
}

/**
 * Returns texts with the merge fields of all of them filled in; values in BodyHTML are escaped.
 * @throws BAD_TEMPLATE
 */
export async function mergeFieldTexts<Name extends string>(
  ctx: Context,
  texts: readonly (readonly [name: Name, text: string])[],
  data: MergeData,
): Promise<ReadonlyMap<Name, string>> {
  const parsed = texts.map(([name, text]) => ({ name, text, fields: fieldsOf(name, text) }));
  const values = await findAll(parsed, data);
  const isStrict = !ctx.settings.get(suppressSubstitutionErrors);
  const merged = new Map<Name, string>();
  for (const { name, text, fields } of parsed) {
    const missing = isStrict ? fields.find(({ expression }) => values.get(expression) === undefined) : undefined;
    if (missing) throw await nothingFound(name, missing.expression, data);
    const isHtml = isHtmlText(name);
    merged.set(
      name,
      fillFields(text, fields, (expression) => {
        const value = values.get(expression) ?? '';
        return isHtml ? escapeAttribute(value) : value;
      }),
    );
  }
  return merged;
}

/** Returns the merge fields of a text of a template. */
export function fieldsOf(name: string, text: string): readonly MergeField[] {
  return isHtmlText(name) ? mergeFieldsOfHtml(text) : mergeFields(text);
}

function isHtmlText(name: string): boolean {
  return name === 'BodyHTML';
}

async function findAll(
  texts: readonly { readonly name: string; readonly fields: readonly MergeField[] }[],
  data: MergeData,
): Promise<ReadonlyMap<string, string | undefined>> {
  try {
    return await data.find(texts.flatMap(({ fields }) => fields.map(({ expression }) => expression)));
  } catch (error) {
    const expression = error instanceof PlatformError ? error.details?.['expression'] : undefined;
    if (!(error instanceof PlatformError) || error.code !== 'BAD_XPATH' || typeof expression !== 'string') throw error;
    const at = texts.find(({ fields }) => fields.some((field) => field.expression === expression));
    throw badExpression(at?.name ?? 'Template', expression, error.message);
  }
}

/** A subject or a name is one line. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
