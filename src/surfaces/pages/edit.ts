import type { Row } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { recordLabel, recordIdFromPath, recordTypeFromPath, selectRow } from './record-address.ts';
import { errorNote } from './error.ts';
import {
  ORIGINAL_PREFIX,
  changedFields,
  loadChoices,
  formColumns,
  formFields,
  inputText,
  zoneNote,
} from './record-form.ts';
import { loadLabels } from './labels.ts';
import { csrfField } from './layout.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { page } from './page.ts';
import { recordPath, humanize } from './display-values.ts';

/** The record type of the address, for who may do this to it: nobody fills in a form for nothing. */
function requirePermittedRecord(call: PageCall, operation: 'insert' | 'update' | 'delete'): RecordType {
  const record = recordTypeFromPath(call);
  if (!call.may(`${record.module}/${operation}`))
    throw new PlatformError('NO_PERMISSION', { message: `You may not ${operation} ${record.name} records.` });
  return record;
}

/** The form that changes a record. */
export const editPage = page(async (call) => {
  const record = requirePermittedRecord(call, 'update');
  const row = await selectRow(call, record, recordIdFromPath(call));
  return editAnswer(call, record, row);
});

/**
 * Saves what the form changed and nothing else, so that two people who change different fields do not undo one another.
 * Where the record was changed meanwhile, both values are shown and the reader decides.
 */
export const saveEdit = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const columns = formColumns(record);
  const changed = changedFields(call.form, columns);
  const path = recordPath(record.module, id);
  if (Object.keys(changed).length === 0) return { redirectTo: `${path}?done=unchanged` };
  try {
    await call.call(`${record.module}/update`, {
      ...changed,
      ID: String(id),
      Version: String(call.form['Version'] ?? ''),
    });
    return { redirectTo: `${path}?done=saved` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    const row = await selectRow(call, record, id);
    return editAnswer(call, record, row, error);
  }
});

async function editAnswer(call: PageCall, record: RecordType, row: Row, error?: PlatformError): Promise<PageAnswer> {
  const columns = formColumns(record);
  const [choices, labels] = await Promise.all([
    loadChoices(call, columns),
    loadLabels(call, [{ columns, rows: [row] }]),
  ]);
  const conflict = error?.code === 'VERSION_CONFLICT';
  const changed = error ? changedFields(call.form, columns) : {};
  const path = recordPath(record.module, Number(row[record.idField]));
  const body = html`<p class="crumbs"><a href="${path}">${recordLabel(record, row)}</a></p><h1>Edit ${humanize(record.name).toLowerCase()}</h1>
${error && !conflict && errorNote(error.masked())}
${conflict && conflictNote(call, columns, row, changed)}
<form class="entry" method="post" action="${path}/edit">${csrfField(call)}<input type="hidden" name="Version" value="${String(row['Version'])}">
${formFields(call, columns, { row, sent: changed, choices, labels, wrong: error?.field })}
${zoneNote(call, columns)}
<p class="actions"><button accesskey="s">Save</button> <a class="button quiet" href="${path}">Cancel</a></p></form>`;
  return { title: `Edit ${recordLabel(record, row)}`, wide: true, status: error?.status ?? 200, body };
}

/** Both values of each field that was changed here and meanwhile elsewhere; saving again takes those of the form. */
function conflictNote(
  call: PageCall,
  columns: readonly Column[],
  row: Row,
  changed: Readonly<Record<string, string>>,
): Markup {
  const differing = columns.filter(
    (column) =>
      changed[column.name] !== undefined &&
      inputText(call, column, row[column.name]) !== String(call.form[`${ORIGINAL_PREFIX}${column.name}`] ?? ''),
  );
  return html`<div class="note refused" role="alert"><p>Somebody changed this record while you were editing it. Nothing was saved yet: the form holds your changes on top of the record as it is now. Save again to keep yours.</p>
${differing.length > 0 && html`<table><thead><tr><th scope="col">Field</th><th scope="col">Now in the record</th><th scope="col">Yours</th></tr></thead><tbody>${differing.map((column) => html`<tr><th scope="row">${humanize(column.name)}</th><td>${inputText(call, column, row[column.name]) || '–'}</td><td>${changed[column.name] || '–'}</td></tr>`)}</tbody></table>`}</div>`;
}

/** The form for a new record; the address can fill fields in, such as the parent's. */
export const newPage = page((call) => newAnswer(call, requirePermittedRecord(call, 'insert'), call.query));

/** Makes a record. */
export const saveNew = page(async (call) => {
  const record = recordTypeFromPath(call);
  const sent = changedFields(call.form, formColumns(record));
  try {
    const { answer } = await call.call(`${record.module}/insert`, sent);
    const id = answer.kind === 'item' ? Number((answer.row as Row)[record.idField]) : 0;
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
  const body = html`<p class="crumbs"><a href="/records/${record.module}">${humanize(record.name)}</a></p><h1>New ${humanize(record.name).toLowerCase()}</h1>
${error && errorNote(error.masked())}
<form class="entry" method="post" action="/records/${record.module}/new">${csrfField(call)}
${formFields(call, columns, { sent, choices, wrong: error?.field })}
${zoneNote(call, columns)}
<p class="actions"><button accesskey="s">Save</button> <a class="button quiet" href="/records/${record.module}">Cancel</a></p></form>`;
  return { title: `New ${humanize(record.name).toLowerCase()}`, wide: true, status: error?.status ?? 200, body };
}

/** Asks before a record is deleted. */
export const deletePage = page(async (call) => {
  const record = requirePermittedRecord(call, 'delete');
  return deleteAnswer(call, record, await selectRow(call, record, recordIdFromPath(call)));
});

/** Deletes a record; its history keeps it, so that it can be brought back. */
export const confirmDelete = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  try {
    await call.call(`${record.module}/delete`, { ID: String(id), Version: String(call.form['Version'] ?? '') });
    return { redirectTo: `/records/${record.module}?deleted=${id}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || (error.code !== 'IN_USE' && error.code !== 'VERSION_CONFLICT'))
      throw error;
    return deleteAnswer(call, record, await selectRow(call, record, id), error);
  }
});

function deleteAnswer(call: PageCall, record: RecordType, row: Row, error?: PlatformError): PageAnswer {
  const path = recordPath(record.module, Number(row[record.idField]));
  return {
    title: `Delete ${recordLabel(record, row)}`,
    status: error?.status ?? 200,
    body: html`<p class="crumbs"><a href="${path}">${recordLabel(record, row)}</a></p><h1>Delete ${recordLabel(record, row)}?</h1>
${error && errorNote(error.masked())}
<p>Its history keeps it: an administrator can bring it back.</p>
<form method="post" action="${path}/delete">${csrfField(call)}<input type="hidden" name="Version" value="${String(row['Version'])}">
<p class="actions"><button class="danger">Delete</button> <a class="button quiet" href="${path}">Keep it</a></p></form>`,
  };
}

/** Brings a deleted record back. */
export const restoreDeleted = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  await call.call(`${record.module}/undelete`, { ID: String(id) });
  return { redirectTo: `${recordPath(record.module, id)}?done=restored` };
});
