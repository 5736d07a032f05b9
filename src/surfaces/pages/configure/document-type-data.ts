import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { recordField, textField } from '../design/field.ts';
import { hiddenField } from '../components.ts';
import { generatedPreview, methodNames } from '../documents/generated-preview.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { ShownType } from './document-type-page.ts';

/** The record types that are offered where a type applies to any. */
const ANY_OBJECT = 'Foreclosure';

/** Renders the fields that a template can name, one level at a time. */
export async function fieldsCard(call: PageCall, { row, generator }: ShownType): Promise<Markup | false> {
  if (generator === undefined || generator.Templates === '') return false;
  const id = row.AttachmentTemplateID;
  const path = plainText(call.query['path']);
  const address = (to: string): string =>
    `/configure/documents/${id}?${new URLSearchParams({ ...previewQuery(call), path: to }).toString()}#fields`;
  let rows;
  try {
    rows = (await call.call('attachmenttemplate/fields', { ID: id, ...(path !== '' && { Path: path }) })).answer.rows;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return card({ id: 'fields', title: 'Fields', body: html`<p class="card-body soft">${error.masked().message}</p>` });
  }
  const parts = path.split('.').filter((part) => part !== '');
  const trail = parts.map(
    (part, at) => html` › <a class="link" href="${address(parts.slice(0, at + 1).join('.'))}">${part}</a>`,
  );
  const line = ({ Name, Path, Kind, ...more }: (typeof rows)[number]): Markup =>
    Kind === 'record' || Kind === 'list'
      ? html`<li><a class="link" href="${address(Path)}"><code>${Name}</code></a>
<span class="small muted">${Kind === 'list' ? 'several' : 'one'}</span></li>`
      : html`<li><code>{${Path}}</code> <span class="small soft" title="${'Description' in more && more.Description}">${
          'Label' in more && (more.Label ?? more.Description)
        }</span></li>`;
  return card({
    id: 'fields',
    title: 'Fields for templates',
    body: html`<div class="card-body"><p class="small"><a class="link" href="${address('')}">All</a>${trail}</p>
${rows.length === 0 && html`<p class="soft">The fields are not known before the data are read.</p>`}
<ul class="field-list">${rows.map(line)}</ul></div>`,
  });
}

function previewQuery(call: PageCall): Record<string, string> {
  return Object.fromEntries(
    Object.entries(call.query).flatMap(([name, value]) =>
      name === 'record' || name.startsWith('value-') ? [[name, plainText(value)]] : [],
    ),
  );
}

/** Renders the choice of a record, and the document that is generated from it without being saved. */
export async function previewCard(call: PageCall, { row }: ShownType): Promise<Markup> {
  const object = (row.AppliesTo ?? '') || ANY_OBJECT;
  const objectId = plainText(call.query['record']).trim();
  const names = methodNames(row.Method);
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = plainText(call.query[`value-${name}`]);
      return value === '' ? [] : [[name, value]];
    }),
  );
  const made =
    /^\d{1,15}$/.test(objectId) &&
    (await generatedPreview(call, { typeId: row.AttachmentTemplateID, object, objectId, values }));
  return card({
    id: 'preview',
    title: 'Preview',
    body: html`<div class="card-body stack"><form class="row wrap" method="get"
action="/configure/documents/${row.AttachmentTemplateID}">${hiddenField('path', plainText(call.query['path']))}
${recordField({
  label: call.platform.registry.titleOf(object),
  name: 'record',
  type: object,
  value: objectId,
  hint: 'Type the beginning of its number or name.',
  isRequired: true,
})}
${names.map((name) => textField({ label: name, name: `value-${name}`, value: values[name] ?? '', isRequired: false }))}
${button({ text: 'Preview' })}</form><div class="generated">${made}</div></div>`,
  });
}
