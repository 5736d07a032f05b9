import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { buttonLink } from '../design/button.ts';
import { toast } from '../design/toast.ts';
import type { PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { fieldsCard, previewCard } from './document-type-data.ts';
import { generationCard, readGenerators } from './document-type-form.ts';
import {
  readProblems,
  readTemplateFile,
  templateCard,
  type TemplateFile,
  type ProblemRow,
} from './document-type-file.ts';
import { optionText, type GeneratorRow } from './generator-options.ts';
import { readUses, usesCard } from './uses-page.ts';

/** A document type with everything that its page shows. */
export interface ShownType {
  readonly row: RowNamed<'AttachmentTemplate'>;
  readonly generators: readonly GeneratorRow[];
  readonly generator: GeneratorRow | undefined;
  readonly file: TemplateFile | undefined;
  readonly problems: readonly ProblemRow[] | undefined;
}

/** Shows a document type: how it is generated, its template with what is wrong, its fields, and a preview. */
export const documentTypePage = page((call) => typeAnswer(call));

/** Saves how the type is generated, or its template file. A refusal is shown with everything that was entered. */
export const changeDocumentType = page(async (call) => {
  const id = recordIdFromPath(call);
  try {
    await (plainText(call.form['Action']) === 'template' ? saveTemplate(call, id) : saveType(call, id));
    return { redirectTo: `/configure/documents/${id}?done=saved` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return { ...(await typeAnswer(call, error.masked())), status: error.status };
  }
});

async function saveType(call: PageCall, id: number): Promise<void> {
  const generators = await readGenerators(call);
  const AttachmentService = plainText(call.form['AttachmentService']);
  const generator = generators.find(({ Generator }) => Generator === AttachmentService);
  await call.call('attachmenttemplate/save', {
    ID: id,
    Version: Number(plainText(call.form['Version'])),
    AttachmentService,
    Options: optionText(generator, call.form),
    AppliesTo: plainText(call.form['AppliesTo']),
    Method: plainText(call.form['Method']),
    FileObjectAssembly: plainText(call.form['FileObjectAssembly']),
  });
}

async function saveTemplate(call: PageCall, id: number): Promise<void> {
  const { Content } = call.form;
  const FileName = plainText(call.form['FileName']);
  if (FileName === '' || typeof Content !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Content',
      message: 'Choose the file of the template first.',
    });
  const present = await readTemplateFile(call, id);
  // New content of the same document, so that its versions stay together.
  const target = present ? { ID: present.AttachmentID } : { Object: 'AttachmentTemplate', ObjectID: id };
  await call.call('attachment/save', { ...target, Content, FileName } as never);
}

async function typeAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const id = recordIdFromPath(call);
  const record = call.platform.registry.recordType('AttachmentTemplate');
  const { row } = (await call.call('attachmenttemplate/select', { ID: id })).answer;
  const [generators, file, uses] = await Promise.all([
    readGenerators(call),
    readTemplateFile(call, id),
    readUses(call, record, id),
  ]);
  const generator = generators.find(({ Generator }) => Generator === row.AttachmentService);
  const shown: ShownType = { row, generators, generator, file, problems: file ? await readProblems(call, id) : [] };
  const name = (row.AttachmentTemplate ?? '') || `Document type ${id}`;
  return {
    title: name,
    place: 'configure',
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: record.titlePlural, href: '/records/attachmenttemplate' },
      { text: name },
    ],
    toasts: plainText(call.query['done']) === 'saved' ? [toast({ text: 'Saved' })] : [],
    body: html`<div class="page wide"><header class="page-head"><h1><bdi>${name}</bdi></h1>
<div class="row">${buttonLink({ text: 'All fields', href: `/records/attachmenttemplate/${id}`, kind: 'quiet' })}</div>
</header>
${(row.Description ?? '') !== '' && html`<p class="soft">${row.Description}</p>`}
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<div class="imports-grid">
<div>${generationCard(call, shown, refused)}${templateCard(call, shown)}${await previewOf(call, shown)}</div>
<div>${await fieldsCard(call, shown)}${usesCard(call, { record, id }, uses)}</div></div></div>`,
  };
}

async function previewOf(call: PageCall, shown: ShownType): Promise<Markup | false> {
  return shown.generator !== undefined && call.may('attachmenttemplate/preview') && previewCard(call, shown);
}
