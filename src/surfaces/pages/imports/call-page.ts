import type { AnswerFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { parseXml } from '../../../kernel/xml/element.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath } from '../record-address.ts';
import { fileName, importPath } from './import-display.ts';
import { changedCells, enteredCells, type EnteredCells } from './row-form.ts';

type BatchCall = AnswerFor<'importfilequeue/select'>['row'];

/** Shows the parameters of a failed call of a batch, to be corrected. */
export const batchCallPage = page((call) => callAnswer(call));

/** Corrects parameters of a failed call and queues it again. A refusal is shown with everything that was entered. */
export const correctBatchCall = page(async (call) => {
  const id = recordIdFromPath(call);
  try {
    const changes = changedCells(call);
    if (changes.size === 0)
      throw new PlatformError('MISSING_PARAMETER', { message: 'Change at least one value, then run the call again.' });
    await call.call('importfilequeue/correct', { ID: callIdOf(call), Changes: changes.toString() });
    return { redirectTo: `${importPath(id)}?done=requeue` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return callAnswer(call, error);
  }
});

function callIdOf({ path }: PageCall): number {
  const id = Number(path['call']);
  if (!Number.isSafeInteger(id) || id < 1)
    throw new PlatformError('NOT_FOUND', { message: 'This batch has no such call.' });
  return id;
}

async function callAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const [file, selected] = await Promise.all([
    call.call('importfile/select', { ID: recordIdFromPath(call) }),
    call.call('importfilequeue/select', { ID: callIdOf(call) }),
  ]);
  const { row } = selected.answer;
  if (row.ImportFileID !== file.answer.row.ImportFileID)
    throw new PlatformError('NOT_FOUND', { message: 'This batch has no such call.' });
  const name = fileName(file.answer.row);
  const title = (row.ImportFileQueue ?? '') || `Call ${row.ImportFileQueueID}`;
  const path = importPath(row.ImportFileID);
  return {
    title: `${title}: ${name}`,
    place: 'imports',
    crumbs: [{ text: 'Imports', href: '/imports' }, { text: name, href: path }, { text: title }],
    status: error?.status ?? 200,
    body: html`<div class="page"><h1>${title}</h1>
${error && errorNote(error.masked())}
${row.FailureDate === null ? notFailed(title, path) : callForm(call, row, path)}</div>`,
  };
}

function notFailed(title: string, path: string): Markup {
  return banner({
    tone: 'info',
    text: `${title} waits for no correction: it has succeeded, or runs again.`,
    actions: buttonLink({ text: 'Back to the import', href: path }),
  });
}

function callForm(call: PageCall, row: BatchCall, path: string): Markup {
  const entered = enteredCells(call);
  const parameters = row.ParameterXml === null ? [] : parseXml(row.ParameterXml).children;
  const message = row.Message ?? 'It failed.';
  const wrong = /^([A-Za-z_]\w*):/.exec(message)?.[1]?.toLowerCase();
  const isNamed = parameters.some(({ name }) => name.toLowerCase() === wrong);
  // A parameter that the call lacks can be added where the message names it.
  const shown = isNamed || wrong === undefined ? parameters : [...parameters, { name: wrongName(message), text: '' }];
  const field = ({ name, text }: { readonly name: string; readonly text: string }): Markup =>
    parameterField(name, text, { entered, error: name.toLowerCase() === wrong ? message : undefined });
  return html`${wrong === undefined && banner({ tone: 'danger', text: message })}
<p class="soft">
  Only this call of <code>${row.ClassName}/${row.Operation}</code> runs again, as the user who queued it.
</p>
<form class="card entry-form" method="post" action="${path}/calls/${row.ImportFileQueueID}">
${csrfField(call)}
<div class="cells">${shown.map(field)}</div>
<p class="row card-body">
${button({ text: 'Save and run again', kind: 'primary' })}
${buttonLink({ text: 'Cancel', href: path })}
</p>
</form>`;
}

function parameterField(
  name: string,
  text: string,
  { entered, error }: { readonly entered: EnteredCells; readonly error: string | undefined },
): Markup {
  return html`${hiddenField('Column', name)}${hiddenField('Before', text)}
${textField({
  label: name,
  name: 'Cell',
  id: `parameter-${name}`,
  value: entered.get(name) ?? text,
  error,
  attributes: html`autocomplete="off"${error !== undefined && html` autofocus`}`,
})}`;
}

/** Returns the parameter that a message begins with. */
function wrongName(message: string): string {
  return /^([A-Za-z_]\w*):/.exec(message)?.[1] ?? '';
}
