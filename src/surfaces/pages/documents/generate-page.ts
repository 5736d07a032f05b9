import type { RecordType } from '../../../kernel/declare/record.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { selectField, textField } from '../design/field.ts';
import { recordPath } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { generatedPreview, methodNames } from './generated-preview.ts';
import { generatedTypes, typeChoices, type TypeRow } from './generated-types.ts';

/** Chooses a document type for a record, shows what it would generate, and saves it. */
export const generatePage = page((call) => generateAnswer(call, call.query));

/** Generates the document and saves it on the record. */
export const generateOnRecord = page(async (call) => {
  const { record, id, path } = targetOf(call, call.form);
  const type = (await generatedTypes(call, record)).find(
    (row) => String(row.AttachmentTemplateID) === text(call.form, 'TemplateID'),
  );
  try {
    if (!type)
      throw new PlatformError('BAD_PARAMETER', { field: 'TemplateID', message: 'Choose a document type first.' });
    const { answer } = await call.callNamed('attachment/generate', {
      TemplateID: String(type.AttachmentTemplateID),
      Object: record.name,
      ObjectID: String(id),
      ...valuesOf(type, call.form),
    });
    const saved = answer.kind === 'item' ? (answer.row as { readonly AttachmentID?: unknown }).AttachmentID : undefined;
    return { redirectTo: saved === undefined ? `${path}?tab=documents` : `/documents/${plainText(saved)}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { ...(await generateAnswer(call, call.form, error.masked().message)), status: error.status };
  }
});

type SentValues = Readonly<Record<string, unknown>>;

function text(sent: SentValues, name: string): string {
  return plainText(sent[name]).trim();
}

function targetOf(
  call: PageCall,
  sent: SentValues,
): { readonly record: RecordType; readonly id: number; readonly path: string } {
  const record = call.platform.registry.requireRecord(text(sent, 'Object'), 'Object');
  const id = Number(text(sent, 'ObjectID'));
  if (!Number.isSafeInteger(id) || id < 1)
    throw new PlatformError('BAD_PARAMETER', { field: 'ObjectID', message: 'ObjectID: expected the ID of a record.' });
  const path = record.root.name === 'Process' ? casePath(record, id) : recordPath(record.module, id);
  return { record, id, path };
}

/** Returns what was entered for the values that the type's Method takes. */
function valuesOf(type: TypeRow, sent: SentValues): Record<string, string> {
  return Object.fromEntries(
    methodNames(type.Method).flatMap((name) => {
      const value = text(sent, `value-${name}`);
      return value === '' ? [] : [[name, value]];
    }),
  );
}

async function generateAnswer(call: PageCall, sent: SentValues, refused?: string): Promise<ShownPage> {
  const { record, id, path } = targetOf(call, sent);
  const [types, labels] = await Promise.all([
    generatedTypes(call, record),
    loadLabels(call, [
      { columns: [{ name: 'ID', field: { kind: 'id', to: record.name } }], rows: [{ ID: id }] } as never,
    ]),
  ]);
  const name = labels.get(record.name)?.get(id) ?? `${record.title} ${id}`;
  const chosen = types.find((row) => String(row.AttachmentTemplateID) === text(sent, 'TemplateID'));
  return {
    title: `Generate a document for ${name}`,
    place: record.root.name === 'Process' ? 'cases' : 'none',
    crumbs: [{ text: name, href: `${path}?tab=documents` }, { text: 'Generate a document' }],
    body: html`<div class="page wide"><h1>Generate a document for <bdi>${name}</bdi></h1>
${refused !== undefined && banner({ tone: 'danger', role: 'alert', text: refused })}
${
  types.length === 0
    ? emptyState({
        title: 'No document type can generate a document for this record.',
        text: 'Analysts choose how a type is generated, and for which records, under Configure, Document types.',
        icon: 'document',
      })
    : html`<div class="generate-grid"><div>${choiceForm({ record, id }, types, chosen, sent)}${
        chosen && saveForm(call, { record, id, path }, chosen, sent)
      }</div><div class="generated">${
        chosen &&
        (await generatedPreview(call, {
          typeId: chosen.AttachmentTemplateID,
          object: record.name,
          objectId: String(id),
          values: valuesOf(chosen, sent),
        }))
      }</div></div>`
}</div>`,
  };
}

function choiceForm(
  { record, id }: { readonly record: RecordType; readonly id: number },
  types: readonly TypeRow[],
  chosen: TypeRow | undefined,
  sent: SentValues,
): Markup {
  return html`<form class="stack" method="get" action="/documents/generate">
${hiddenField('Object', record.name)}${hiddenField('ObjectID', id)}
${selectField({
  label: 'Document type',
  name: 'TemplateID',
  value: text(sent, 'TemplateID'),
  isRequired: true,
  empty: 'Choose a type',
  choices: typeChoices(types),
})}
${
  chosen &&
  methodNames(chosen.Method).map((name) =>
    textField({
      label: name,
      name: `value-${name}`,
      value: text(sent, `value-${name}`),
      isRequired: false,
      hint: 'Empty: the value of the record.',
    }),
  )
}
<p>${button({ text: 'Preview', kind: chosen ? 'plain' : 'primary' })}</p></form>`;
}

function saveForm(
  call: PageCall,
  { record, id, path }: { readonly record: RecordType; readonly id: number; readonly path: string },
  chosen: TypeRow,
  sent: SentValues,
): Markup {
  const values = Object.entries(valuesOf(chosen, sent)).map(([name, value]) => hiddenField(`value-${name}`, value));
  return html`<form class="row" method="post" action="/documents/generate">${csrfField(call)}
${hiddenField('Object', record.name)}${hiddenField('ObjectID', id)}
${hiddenField('TemplateID', chosen.AttachmentTemplateID)}${values}
${button({ text: 'Generate and save', kind: 'primary' })}
${buttonLink({ text: 'Cancel', kind: 'quiet', href: `${path}?tab=documents` })}</form>`;
}
