import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { recordField, selectField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { messagePath } from './message-paths.ts';
import type { Thread } from './read-thread.ts';

/** Record types on which people file mail. */
const FILED_ON = ['Foreclosure', 'Bankruptcy', 'Loan'] as const;

/** Renders the form that files a message on a record. */
export function fileForm(call: PageCall, { messages }: Thread, path: string): Markup | false {
  const last = messages.at(-1);
  if (!last || !call.may('message/file')) return false;
  return fileOnForm(call, last.row.MessageID, path);
}

/** Renders the form that files a message on a record that is found by its name or number. */
export function fileOnForm(call: PageCall, messageId: number, path: string): Markup {
  const types = FILED_ON.flatMap((name) => {
    const record = call.platform.registry.record(name);
    return record && call.mayOf(record, 'search') ? [{ value: name, text: record.title }] : [];
  });
  const id = `file-${messageId}`;
  return html`<form class="file-form row wrap" method="post" action="${messagePath(messageId)}">${csrfField(
    call,
  )}${hiddenField('Back', path)}
${selectField({
  label: 'File on',
  name: 'Object',
  id: `${id}-type`,
  choices: types,
  value: 'Foreclosure',
  attributes: html`data-file-type="${id}"`,
})}
${recordField({
  label: 'Case',
  name: 'ObjectID',
  id,
  type: 'Foreclosure',
  hint: 'Type a name, an address or a number.',
})}
${button({ text: 'File', name: 'Action', value: 'file', icon: 'case' })}</form>`;
}
