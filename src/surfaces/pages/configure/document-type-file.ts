import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { shortTimeMark } from '../due-words.ts';
import { openPath } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import type { ShownType } from './document-type-page.ts';

/** The document that is the template of a type. */
export type TemplateFile = Pick<
  RowNamed<'Attachment'>,
  'AttachmentID' | 'FileName' | 'FileVersion' | 'MimeType' | 'UpdatedDate'
>;
export type ProblemRow = AnswerRowFor<'attachmenttemplate/check'>;

/** Reads the template file of a type, the newest of its documents. */
export async function readTemplateFile(call: PageCall, id: number): Promise<TemplateFile | undefined> {
  if (!call.may('attachment/search')) return undefined;
  const { answer } = await call.call('attachment/search', {
    Object: 'AttachmentTemplate',
    ObjectID: String(id),
    OrderBy: '-AttachmentID',
    DisplaySize: 1,
    RecordCount: 'false',
  });
  return answer.rows[0];
}

/**
 * Reads what is wrong with the template, for those who can correct it. One that cannot be read at all is one problem.
 */
export async function readProblems(call: PageCall, id: number): Promise<readonly ProblemRow[] | undefined> {
  if (!call.may('attachmenttemplate/check')) return undefined;
  try {
    return (await call.call('attachmenttemplate/check', { ID: id })).answer.rows;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return [{ Problem: error.masked().message, Place: null, Tag: null, Similar: null, Warning: false }];
  }
}

/** Renders the template file with what is wrong with it beside, and the upload of another one. */
export function templateCard(call: PageCall, { generator, file, problems }: ShownType): Markup | false {
  if (generator === undefined || generator.Templates === '') return false;
  const upload =
    call.may('attachment/save') &&
    call.may('attachmenttemplate/save') &&
    html`<form class="row wrap" method="post" enctype="multipart/form-data">${csrfField(call)}
<input type="file" name="Content" required aria-label="File of the template">
${button({ text: file ? 'Replace the template' : 'Upload the template', name: 'Action', value: 'template' })}</form>`;
  const present = file
    ? html`<p><a class="link" href="${openPath('attachment', file.AttachmentID)}"><bdi>${file.FileName}</bdi></a>
<span class="muted small">version ${file.FileVersion ?? 1}${
        file.UpdatedDate !== null && html`, ${shortTimeMark(call, file.UpdatedDate)}`
      }; earlier versions are there</span></p>${problems && problemList(problems)}`
    : banner({
        tone: generator.NeedsTemplate ? 'warn' : 'info',
        text: generator.NeedsTemplate
          ? 'There is no template yet. Nothing can be generated without one.'
          : 'There is no template. Documents are generated without one.',
      });
  return card({
    id: 'template',
    title: 'Template',
    body: html`<div class="card-body stack">${present}${upload}
<p class="soft small">How templates are written: docs/guides/analysts/letters.md</p></div>`,
  });
}

function problemList(problems: readonly ProblemRow[]): Markup {
  if (problems.length === 0) return banner({ tone: 'ok', text: 'The template has no problems.' });
  const line = ({ Problem, Place, Similar, Warning }: ProblemRow): Markup =>
    html`<li>${Warning && html`<span class="muted">Warning:</span> `}<bdi>${Problem}</bdi>
<span class="small soft">${Place}${Similar !== null && html` · similar: <bdi>${Similar}</bdi>`}</span></li>`;
  return html`<ul class="problem-list">${problems.map(line)}</ul>`;
}
