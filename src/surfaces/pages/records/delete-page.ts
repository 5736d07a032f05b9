import type { AnyRow } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { recordId } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { confirmationField } from '../confirmation.ts';
import { readUses, usesList } from '../configure/uses-page.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { recordPath } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath, recordLabel, recordTypeFromPath, selectRow } from '../record-address.ts';
import { requirePermittedRecord } from './edit-page.ts';
import { recordCrumbs } from './record-crumbs.ts';

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

async function deleteAnswer(
  call: PageCall,
  record: RecordType,
  row: AnyRow,
  error?: PlatformError,
): Promise<PageAnswer> {
  const id = recordId(record, row);
  const uses = await readUses(call, record, id);
  const path = recordPath(record.module, id);
  const name = recordLabel(record, row);
  const confirmation = call.platform.registry.isAccessControl(record) && confirmationField(call, 'record');
  return {
    title: `Delete ${name}`,
    place: 'records',
    crumbs: recordCrumbs(call, record, { id, name }, 'Delete'),
    status: error?.status ?? 200,
    body: html`<div class="page narrow"><div><h1>Delete <bdi>${name}</bdi>?</h1>
<p class="soft">Its history is kept. An administrator can restore it.</p></div>
${error && errorNote(error.masked())}
${uses.length > 0 && usedNote(call, { record, id }, uses)}
<form class="stack" method="post" action="${path}/delete">
${csrfField(call)}${hiddenField('Version', row.Version)}
${confirmation}
<div class="row">${button({ text: 'Delete', kind: 'danger' })}
${buttonLink({ text: 'Cancel', kind: 'quiet', href: path })}</div>
</form></div>`,
  };
}

/** Says what names a record that is about to go. */
function usedNote(
  call: PageCall,
  of: { readonly record: RecordType; readonly id: number },
  uses: Awaited<ReturnType<typeof readUses>>,
): Markup {
  const text = `${uses.length === 1 ? 'One place uses' : `${uses.length} places use`} it and may stop working.`;
  return banner({ tone: 'warn', text, more: usesList(call, of, uses) });
}

/** Restores a deleted record. */
export const restoreDeleted = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  await call.callOf(record, 'undelete', { ID: id });
  return { redirectTo: `${recordPath(record.module, id)}?done=restored` };
});
