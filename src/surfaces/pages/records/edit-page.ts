import type { AnyRow } from '../../../kernel/declare/catalog.ts';
import { recordId } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { confirmationField } from '../confirmation.ts';
import { readUses, usesList } from '../configure/uses-page.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { table } from '../design/table.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { inSentence } from '../display-names.ts';
import { openPath, recordPath } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { alertNote, errorNote, sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath, recordLabel, recordTypeFromPath, selectRow } from '../record-address.ts';
import { listCrumbs, recordCrumbs } from './record-crumbs.ts';
import {
  changedFields,
  fieldId,
  formColumns,
  formFields,
  inputText,
  loadChoices,
  ORIGINAL_PREFIX,
  zoneNote,
} from './record-form.ts';

/**
 * Returns the record type of the address, if the user may do this to it, so that no form is shown that would be
 * refused.
 */
export function requirePermittedRecord(call: PageCall, operation: 'insert' | 'update' | 'delete'): RecordType {
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
  if (changed[record.name] !== undefined && plainText(call.form[RENAME_FIELD]) !== 'true') {
    const uses = (await readUses(call, record, id)).filter(({ ByName: byName }) => byName);
    if (uses.length > 0)
      return editAnswer(call, record, await selectRow(call, record, id), {
        notice: renameNote(call, { record, id }, uses),
      });
  }
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
    return editAnswer(call, record, row, { error });
  }
});

/** Says that the reader has seen what names the record by the name that it loses. */
const RENAME_FIELD = 'confirm.rename';

/** Asks before a record gets another name than the one by which others name it. */
function renameNote(
  call: PageCall,
  of: { readonly record: RecordType; readonly id: number },
  uses: Awaited<ReturnType<typeof readUses>>,
): Markup {
  const text = 'Not saved yet. These refer to it by its present name and will not find it under the new one.';
  return banner({
    tone: 'warn',
    role: 'alert',
    text,
    more: html`${usesList(call, of, uses)}<p>Save again to rename it, then correct them.</p>`,
  });
}

/** Why the form is shown again: a refusal, or a question. */
interface EditReply {
  readonly error?: PlatformError;
  readonly notice?: Markup;
}

async function editAnswer(
  call: PageCall,
  record: RecordType,
  row: AnyRow,
  { error, notice }: EditReply = {},
): Promise<PageAnswer> {
  const columns = formColumns(record);
  const [choices, labels] = await Promise.all([
    loadChoices(call, columns),
    loadLabels(call, [{ columns, rows: [row] }]),
  ]);
  const changed = error || notice ? changedFields(call.form, columns) : {};
  const refusal = refusalOf(call, { record, row, columns }, error);
  const path = recordPath(record.module, recordId(record, row));
  const name = recordLabel(record, row);
  const body = html`${notice}${refusal.note}
<form class="entry record-form" method="post" action="${path}/edit">
${csrfField(call)}${hiddenField('Version', row.Version)}${notice && hiddenField(RENAME_FIELD, 'true')}
${formFields(call, record, columns, {
  row,
  sent: changed,
  choices,
  labels,
  errors: refusal.errors,
})}
${formFoot(call, record, columns, path)}
</form>`;
  return {
    title: `Edit ${name}`,
    place: 'records',
    crumbs: recordCrumbs(call, record, { id: recordId(record, row), name }, 'Edit'),
    status: error?.status ?? 200,
    body: formPage(html`Edit <bdi>${name}</bdi>`, body),
  };
}

/** Why a form was refused: a note above it, and errors beside its fields. */
export interface FormRefusal {
  readonly note: Markup | false;
  /** By lower-case field name. */
  readonly errors: ReadonlyMap<string, string>;
}

/** Returns why the form of a stored record was refused. A version conflict shows both values of each field. */
export function refusalOf(
  call: PageCall,
  { record, row, columns }: { readonly record: RecordType; readonly row: AnyRow; readonly columns: readonly Column[] },
  error: PlatformError | undefined,
): FormRefusal {
  if (error?.code !== 'VERSION_CONFLICT') return refusalOfNew(record, error);
  const conflicts = conflictsOf(call, columns, row, changedFields(call.form, columns));
  return { note: conflictAlert(conflicts), errors: conflictErrors(conflicts) };
}

/** Returns why the form of a new record was refused. */
export function refusalOfNew(record: RecordType, error: PlatformError | undefined): FormRefusal {
  return { note: refusalNote(record, error), errors: fieldErrors(record, error) };
}

function formPage(title: Markup, body: Markup): Markup {
  return html`<div class="page"><header class="page-head"><h1>${title}</h1></header>
${body}</div>`;
}

/** Renders the field for the user's own password where the record type is one of access control. */
function recordConfirmation(call: PageCall, record: RecordType): Markup | false {
  return call.platform.registry.isAccessControl(record) && confirmationField(call, 'record');
}

/** Renders what follows the fields: the time zone, the own password where it is needed, and the buttons. */
function formFoot(call: PageCall, record: RecordType, columns: readonly Column[], cancelPath: string): Markup {
  return html`${zoneNote(call, columns)}
${recordConfirmation(call, record)}
<div class="row form-foot">
${button({ text: 'Save', kind: 'primary' })}
${buttonLink({ text: 'Cancel', kind: 'quiet', href: cancelPath })}
</div>`;
}

/** Returns the reason of a refusal for the field that it names. */
function fieldErrors(record: RecordType, error: PlatformError | undefined): ReadonlyMap<string, string> {
  const name = error?.field?.toLowerCase();
  if (!error || name === undefined || !record.columns.has(name)) return new Map();
  return new Map([[name, sentenceFor(error)]]);
}

/** Says that nothing was saved, and leads to the field that is wrong; of another error, says what happened. */
function refusalNote(record: RecordType, error: PlatformError | undefined): Markup | false {
  if (!error) return false;
  const column = record.columns.get(error.field?.toLowerCase() ?? '');
  if (!column) return errorNote(error.masked());
  const label = fieldLabel(column.name, column.field);
  return alertNote(
    html`Not saved. <a class="link" href="#${fieldId(column.name)}">${label}</a>: ${sentenceFor(error)}`,
    error.alerts.length > 0 && html`<ul>${error.alerts.map((alert) => html`<li>${alert.text}</li>`)}</ul>`,
  );
}

/** Returns the fields that were changed here and, meanwhile, elsewhere, with both values. */
export function conflictsOf(
  call: PageCall,
  columns: readonly Column[],
  row: AnyRow,
  changed: Readonly<Record<string, string>>,
): readonly ConflictingValue[] {
  return columns
    .filter(
      (column) =>
        changed[column.name] !== undefined &&
        inputText(call, column, row[column.name]) !== plainText(call.form[`${ORIGINAL_PREFIX}${column.name}`]),
    )
    .map((column) => ({
      field: column.name,
      name: fieldLabel(column.name, column.field),
      theirs: inputText(call, column, row[column.name]),
      yours: changed[column.name] ?? '',
    }));
}

/** A field that two people changed at once. */
export interface ConflictingValue {
  readonly field?: string;
  readonly name: string;
  readonly theirs: string;
  readonly yours: string;
}

function conflictErrors(conflicts: readonly ConflictingValue[]): ReadonlyMap<string, string> {
  return new Map(
    conflicts.map(({ field = '', theirs }) => [
      field.toLowerCase(),
      theirs === '' ? 'Someone else emptied this.' : `Someone else changed this to ${theirs}.`,
    ]),
  );
}

/**
 * Reports that another user saved first, with both values of each field that both changed. Saving again keeps those of
 * the form.
 */
function conflictAlert(values: readonly ConflictingValue[]): Markup {
  return alertNote(
    "Someone else changed this record while you were editing. Your changes aren't saved yet. Save again to keep yours.",
    conflictTable(values),
  );
}

/** Shows both values of each field that two people changed at once. */
export function conflictTable(values: readonly ConflictingValue[]): Markup | false {
  const value = (text: string): Markup =>
    text === '' ? html`<span class="muted">empty</span>` : html`<bdi>${text}</bdi>`;
  const line = ({ name, theirs, yours }: ConflictingValue): Markup =>
    html`<tr><th scope="row">${name}</th><td>${value(theirs)}</td><td>${value(yours)}</td></tr>`;
  return (
    values.length > 0 &&
    table({
      label: 'Both values',
      className: 'wrap',
      heads: ['Field', 'Their value', 'Your value'],
      rows: values.map(line),
    })
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
    return { redirectTo: `${openPath(record.module, id)}?done=made` };
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
  const body = html`${refusalNote(record, error)}
<form class="entry record-form" method="post" action="${list}/new">
${csrfField(call)}
${formFields(call, record, columns, { sent, choices, errors: fieldErrors(record, error) })}
${formFoot(call, record, columns, list)}
</form>`;
  return {
    title,
    place: 'records',
    crumbs: [...listCrumbs(call, record), { text: title }],
    status: error?.status ?? 200,
    body: formPage(html`${title}`, body),
  };
}
