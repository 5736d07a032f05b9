import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { frameDocument, framePolicy, htmlOfText } from '../../../lib/html-sanitizer/frame-document.ts';
import { sanitizeHtml } from '../../../lib/html-sanitizer/sanitize-html.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { textField } from '../design/field.ts';
import { tabs } from '../design/tabs.ts';
import { toast } from '../design/toast.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { previewAnswer, previewRecord, templatePreview } from './message-template-preview.ts';
import { sentTemplate, templateForm } from './message-template-form.ts';
import { readUses, usesCard } from './uses-page.ts';

/** Versions of a template in other languages. */
const VARIANTS_MAX = 30;

export type TemplateRow = RowNamed<'MessageTemplate'>;

/** Returns the address of a template's page. */
function templatePath(id: number): string {
  return `/configure/messages/${id}`;
}

/** Shows a message template: its texts and recipients, its languages, and what it becomes on a real record. */
export const messageTemplatePage = page((call) => templateAnswer(call));

/** Saves a template, or adds a version in another language. A refusal is shown with everything that was entered. */
export const changeMessageTemplate = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  if (plainText(call.form['Action']) === 'preview') return templateAnswer(call);
  try {
    if (plainText(call.form['Action']) === 'variant')
      return { redirectTo: `${templatePath(await addVariant(call, id))}?done=saved` };
    await call.call('messagetemplate/save', {
      ID: id,
      Version: Number(plainText(call.form['Version'])),
      ...sentTemplate(call),
    });
    return { redirectTo: `${templatePath(id)}?${triedQuery(call)}done=saved` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return { ...(await templateAnswer(call, error.masked())), status: error.status };
  }
});

/** Answers what a template that is being edited becomes, for the panel beside its form. */
export const messageTemplatePreview = page(async (call) => ({
  fragment: await templatePreview(call, recordIdFromPath(call)),
}));

/** Answers the formatted body of a template that is being edited, for the frame of its preview. */
export const messageTemplateFrame = page(async (call) => {
  const preview = await previewAnswer(call, recordIdFromPath(call));
  const markup = 'row' in preview ? (preview.row.BodyHTML ?? '').trim() : '';
  const text = 'row' in preview ? (preview.row.BodyText ?? '') : preview.error.message;
  const body = markup === '' ? htmlOfText({ text, quoted: '' }) : sanitizeHtml(markup, { remoteImages: false }).html;
  const content = {
    html: body,
    title: 'Preview',
    kind: markup === '' ? ('text' as const) : ('html' as const),
    remoteImages: false,
  };
  return { frame: { document: frameDocument(content), policy: framePolicy(content) } };
});

/** Keeps the record on which the template is tried in the address. */
function triedQuery(call: PageCall): string {
  const id = plainText(call.form['ObjectID']);
  if (!/^\d{1,15}$/.test(id)) return '';
  return `${new URLSearchParams({ Object: plainText(call.form['Object']), ObjectID: id }).toString()}&`;
}

/** Creates a copy of a template for another language. Returns its ID. */
async function addVariant(call: PageCall, id: number): Promise<number> {
  const { row } = (await call.call('messagetemplate/select', { ID: id })).answer;
  const language = plainText(call.form['Language']).trim();
  if (language === '')
    throw new PlatformError('MISSING_PARAMETER', { field: 'Language', message: 'Enter a language.' });
  const { answer } = await call.call('messagetemplate/save', {
    MessageTemplate: `${(row.MessageTemplate ?? '').slice(0, 99 - language.length)} ${language}`.slice(0, 100),
    VariantOfID: row.VariantOfID ?? id,
    Language: language,
    AppliesTo: row.AppliesTo ?? '',
    Subject: row.Subject ?? '',
    BodyText: row.BodyText ?? '',
    BodyHTML: row.BodyHTML ?? '',
    BodyLanguage: row.BodyLanguage ?? '',
  });
  return answer.row.MessageTemplateID;
}

async function templateAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const id = recordIdFromPath(call);
  const record = call.platform.registry.recordType('MessageTemplate');
  const { row } = (await call.call('messagetemplate/select', { ID: id })).answer;
  const [variants, uses] = await Promise.all([readVariants(call, row), readUses(call, record, id)]);
  const name = (row.MessageTemplate ?? '') || `Template ${id}`;
  return {
    title: name,
    place: 'configure',
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: record.titlePlural, href: '/records/messagetemplate' },
      { text: name },
    ],
    entries: ['messages'],
    toasts: plainText(call.query['done']) === 'saved' ? [toast({ text: 'Saved' })] : [],
    body: html`<div class="page wide"><header class="page-head"><h1><bdi>${name}</bdi></h1>${
      row.Status === 'Inactive' && badge('Off')
    }<div class="row">${
      call.may('message/search') &&
      call.may('messagerecipient/search') &&
      buttonLink({ text: 'Recipients', icon: 'people', href: `${templatePath(id)}/recipients`, kind: 'quiet' })
    }${buttonLink({
      text: 'All fields',
      href: `/records/messagetemplate/${id}`,
      kind: 'quiet',
    })}</div></header>
${languageTabs(row, variants)}
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<div class="template-columns"><div class="stack">${templateForm(call, row, refused)}
${call.may('messagetemplate/save') && variantForm(call, row)}${usesCard(call, { record, id }, uses)}</div>
${call.may('message/preview') && (await previewCard(call, await templatePreview(call, id), id))}</div></div>`,
  };
}

async function readVariants(call: PageCall, row: TemplateRow): Promise<readonly TemplateRow[]> {
  const base = row.VariantOfID ?? row.MessageTemplateID;
  const [own, others] = await Promise.all([
    call.call('messagetemplate/search', { ID: String(base), DisplaySize: 1, RecordCount: 'false' }),
    call.call('messagetemplate/search', {
      VariantOfID: String(base),
      OrderBy: 'Language',
      DisplaySize: VARIANTS_MAX,
      RecordCount: 'false',
    }),
  ]);
  return [...own.answer.rows, ...others.answer.rows] as readonly TemplateRow[];
}

function languageTabs(row: TemplateRow, variants: readonly TemplateRow[]): Markup | false {
  if (variants.length < 2) return false;
  return tabs(
    'Languages',
    variants.map((each) => ({
      href: templatePath(each.MessageTemplateID),
      text: html`<bdi>${
        (each.Language ?? '') || (each.VariantOfID === null ? 'For everyone else' : 'No language')
      }</bdi>`,
      isCurrent: each.MessageTemplateID === row.MessageTemplateID,
    })),
  );
}

function variantForm(call: PageCall, row: TemplateRow): Markup {
  const record = call.platform.registry.recordType('MessageTemplate');
  return html`<form class="row wrap end-aligned" method="post">${csrfField(call)}${textField({
    label: `${columnLabel(record, 'Language')} of another version`,
    name: 'Language',
    id: 'variant-language',
    hint: 'Recipients who speak it get that version.',
    attributes: html`maxlength="40"`,
  })}${button({
    text: 'Add a translation',
    icon: 'globe',
    name: 'Action',
    value: 'variant',
    of: row.MessageTemplate ?? '',
  })}</form>`;
}

async function previewCard(call: PageCall, preview: Markup, id: number): Promise<Markup> {
  return card({
    id: 'preview',
    title: 'Preview',
    note: 'Nothing is sent',
    body: html`<template-preview class="card-body stack" data-address="${templatePath(id)}/preview">
${await previewRecord(call)}
<div id="template-preview" aria-live="polite">${preview}</div>
<form id="template-frame-form" method="post" action="${templatePath(id)}/frame" target="template-frame">${csrfField(
      call,
    )}${hiddenField('Frame', 'true')}<noscript>${button({
      text: 'Show the saved version',
      kind: 'quiet',
    })}</noscript></form>
<iframe class="mail-frame" name="template-frame" title="The message" sandbox="allow-same-origin"
 src="${templatePath(id)}/frame?${new URLSearchParams({
   Object: plainText(call.form['Object'] ?? call.query['Object']),
   ObjectID: plainText(call.form['ObjectID'] ?? call.query['ObjectID']),
 }).toString()}"></iframe></template-preview>`,
  });
}
