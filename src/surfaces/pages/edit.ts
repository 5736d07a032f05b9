import type { AnyRow } from '../../kernel/declare/catalog.ts';
import { recordId } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { hiddenField } from './components.ts';
import { confirmationField } from './confirmation.ts';
import { fieldLabel } from '../../kernel/declare/labels.ts';
import { inSentence } from './display-names.ts';
import { recordPath } from './display-values.ts';
import { loadLabels } from './labels.ts';
import { csrfField } from './layout.ts';
import { alertNote, errorNote } from './notes.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { page } from './page.ts';
import { plainText } from './plain-text.ts';
import { recordIdFromPath, recordLabel, recordTypeFromPath, selectRow } from './record-address.ts';
import {
  changedFields,
  formColumns,
  formFields,
  inputText,
  loadChoices,
  ORIGINAL_PREFIX,
  zoneNote,
} from './record-form.ts';

/** Returns the record type of the address, if the user may do this to it, so that no form is filled in in vain. */
function requirePermittedRecord(call: PageCall, operation: 'insert' | 'update' | 'delete'): RecordType {
  const record = recordTypeFromPath(call);
  if (!call.mayOf(record, operation))
    throw new PlatformError('NO_PERMISSION', {
      message: `You don't have permission to ${operation} ${inSentence(record.titlePlural)}.`,
    });
  return record;
}

/** Shows the form that changes a record. */
export const editPage = page(async (call) => {
  const record = requirePermittedRecord(call, 'update');
  const row = await selectRow(call, record, recordIdFromPath(call));
  return editAnswer(call, record, row);
});

/**
 * Saves only the fields that the form changed, so that two people who change different fields do not undo one another.
 * If another user changed the record meanwhile, the page shows both values and lets the reader decide.
 */
export const saveEdit = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const columns = formColumns(record);
  const changed = changedFields(call.form, columns);
  const path = recordPath(record.module, id);
  if (Object.keys(changed).length === 0) return { redirectTo: `${path}?done=unchanged` };
  try {
    await call.callOf(record, 'update', {
      ...changed,
      ID: id,
      Version: plainText(call.form['Version']),
    });
    return { redirectTo: `${path}?done=saved` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    const row = await selectRow(call, record, id);
    return editAnswer(call, record, row, error);
  }
});

async function editAnswer(call: PageCall, record: RecordType, row: AnyRow, error?: PlatformError): Promise<PageAnswer> {
  const columns = formColumns(record);
  const [choices, labels] = await Promise.all([
    loadChoices(call, columns),
    loadLabels(call, [{ columns, rows: [row] }]),
  ]);
  const isConflict = error?.code === 'VERSION_CONFLICT';
  const changed = error ? changedFields(call.form, columns) : {};
  const path = recordPath(record.module, recordId(record, row));
  const name = recordLabel(record, row);
  const body = html`<p class="crumbs"><a href="${path}">${name}</a></p>
<h1>Edit ${inSentence(record.title)}</h1>
${error && !isConflict && errorNote(error.masked())}
${isConflict && conflictNote(call, columns, row, changed)}
<form class="entry" method="post" action="${path}/edit">
${csrfField(call)}${hiddenField('Version', row.Version)}
${formFields(call, columns, { row, sent: changed, choices, labels, wrong: error?.field })}
${zoneNote(call, columns)}
${recordConfirmation(call, record)}
${saveButtons(path)}
</form>`;
  return { title: `Edit ${name}`, wide: true, status: error?.status ?? 200, body };
}

/** Renders the field for the user's own password where the record type is guarded, as those of access are. */
function recordConfirmation(call: PageCall, record: RecordType): Markup | false {
  return call.platform.registry.guards(record).length > 0 && confirmationField(call, 'record');
}

function saveButtons(cancelPath: string): Markup {
  return html`<p class="actions">
<button accesskey="s">Save</button>
<a class="button quiet" href="${cancelPath}">Cancel</a>
</p>`;
}

/**
 * Shows both values of each field that was changed here and, meanwhile, elsewhere. Saving again keeps those of the
 * form.
 */
function conflictNote(
  call: PageCall,
  columns: readonly Column[],
  row: AnyRow,
  changed: Readonly<Record<string, string>>,
): Markup {
  const differing = columns.filter(
    (column) =>
      changed[column.name] !== undefined &&
      inputText(call, column, row[column.name]) !== plainText(call.form[`${ORIGINAL_PREFIX}${column.name}`]),
  );
  return conflictAlert(
    'record',
    differing.map((column) => ({
      name: fieldLabel(column.name, column.field),
      theirs: inputText(call, column, row[column.name]),
      yours: changed[column.name] ?? '',
    })),
  );
}

/** A field that two people changed at once. */
interface ConflictingValue {
  readonly name: string;
  readonly theirs: string;
  readonly yours: string;
}

/** Reports that another user saved first, and shows both values of each field that both changed. */
function conflictAlert(what: 'record', values: readonly ConflictingValue[]): Markup {
  return alertNote(
    `Someone else changed this ${what} while you were editing. Your changes aren't saved yet. ` +
      'Save again to keep yours.',
    conflictTable(values),
  );
}

/** Shows both values of each field that two people changed at once. */
export function conflictTable(values: readonly ConflictingValue[]): Markup | false {
  const line = ({ name, theirs, yours }: ConflictingValue): Markup =>
    html`<tr><th scope="row">${name}</th><td>${theirs || '–'}</td><td>${yours || '–'}</td></tr>`;
  return (
    values.length > 0 &&
    html`<table>
<thead><tr><th scope="col">Field</th><th scope="col">Their value</th><th scope="col">Your value</th></tr></thead>
<tbody>${values.map(line)}</tbody>
</table>`
  );
}

/** Shows the form for a new record; the address can fill in fields, such as the parent's. */
export const newPage = page((call) => newAnswer(call, requirePermittedRecord(call, 'insert'), call.query));

/** Creates a record. */
export const saveNew = page(async (call) => {
  const record = recordTypeFromPath(call);
  const sent = changedFields(call.form, formColumns(record));
  try {
    const { answer } = await call.callOf(record, 'insert', sent);
    const id = recordId(record, answer.row);
    return { redirectTo: `${recordPath(record.module, id)}?done=made` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return newAnswer(call, record, call.form, error);
  }
});

async function newAnswer(
  call: PageCall,
  record: RecordType,
  sent: PageCall['query'],
  error?: PlatformError,
): Promise<PageAnswer> {
  const columns = formColumns(record);
  const choices = await loadChoices(call, columns);
  const list = `/records/${record.module}`;
  const title = `New ${inSentence(record.title)}`;
  const body = html`<p class="crumbs"><a href="${list}">${record.titlePlural}</a></p>
<h1>${title}</h1>
${error && errorNote(error.masked())}
<form class="entry" method="post" action="${list}/new">
${csrfField(call)}
${formFields(call, columns, { sent, choices, wrong: error?.field })}
${zoneNote(call, columns)}
${recordConfirmation(call, record)}
${saveButtons(list)}
</form>`;
  return { title, wide: true, status: error?.status ?? 200, body };
}

/** Asks before a record is deleted. */
export const deletePage = page(async (call) => {
  const record = requirePermittedRecord(call, 'delete');
  return deleteAnswer(call, record, await selectRow(call, record, recordIdFromPath(call)));
});

/** The failures of a delete that its page shows. */
const DELETE_ERRORS: ReadonlySet<string> = new Set(['IN_USE', 'VERSION_CONFLICT', 'CONFIRM_IDENTITY', 'STATE_REFUSES']);

/** Deletes a record. Its history is kept, so that it can be restored. */
export const confirmDelete = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  try {
    await call.callOf(record, 'delete', { ID: id, Version: plainText(call.form['Version']) });
    return { redirectTo: `/records/${record.module}?deleted=${id}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || !DELETE_ERRORS.has(error.code)) throw error;
    return deleteAnswer(call, record, await selectRow(call, record, id), error);
  }
});

function deleteAnswer(call: PageCall, record: RecordType, row: AnyRow, error?: PlatformError): PageAnswer {
  const path = recordPath(record.module, recordId(record, row));
  const name = recordLabel(record, row);
  return {
    title: `Delete ${name}`,
    status: error?.status ?? 200,
    body: html`<p class="crumbs"><a href="${path}">${name}</a></p>
<h1>Delete ${name}?</h1>
${error && errorNote(error.masked())}
<p>Its history is kept. An administrator can restore it.</p>
<form method="post" action="${path}/delete">
${csrfField(call)}${hiddenField('Version', row.Version)}
${recordConfirmation(call, record)}
<p class="actions">
<button class="danger">Delete</button>
<a class="button quiet" href="${path}">Cancel</a>
</p>
</form>`,
  };
}

/** Restores a deleted record. */
export const restoreDeleted = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  await call.callOf(record, 'undelete', { ID: id });
  return { redirectTo: `${recordPath(record.module, id)}?done=restored` };
});
