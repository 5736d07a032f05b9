import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { valueLabel } from '../../../kernel/declare/labels.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { administrationAnswer } from '../administration/frame.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { shortTimeMark } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { withQuery } from '../page-query.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { MAILBOXES_PATH } from './mailboxes-page.ts';
import { messagePath } from './message-paths.ts';
import { pageTurn } from './page-turn.ts';
import { messageToasts } from './message-toasts.ts';

const PATH = '/administration/blocked-addresses';
const PAGE_ROWS = 100;

type BlockedRow = RowNamed<'MailSuppression'>;

/** Lists the addresses to which no mail is sent. */
export const blockedPage = page((call) => blockedAnswer(call));

/** Blocks an address, or sends mail there again. */
export const changeBlocked = page(async (call): Promise<PageAnswer> => {
  try {
    if (plainText(call.form['Action']) === 'lift') {
      await call.call('mailsuppression/delete', { ID: plainText(call.form['ID']) });
      return { redirectTo: `${PATH}?done=address-lifted` };
    }
    await call.call('mailsuppression/save', {
      MailSuppression: plainText(call.form['MailSuppression']).trim(),
      Detail: plainText(call.form['Detail']),
      Reason: 'Person',
      Scope: 'All',
    });
    return { redirectTo: `${PATH}?done=address-blocked` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return blockedAnswer(call, error.masked());
  }
});

async function blockedAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const start = rowOffset(call.query['RecordStart']);
  const find = plainText(call.query['find']).trim().slice(0, 200);
  const { answer } = await call.call('mailsuppression/search', {
    OrderBy: '-MailSuppressionID',
    DisplaySize: PAGE_ROWS,
    RecordStart: start,
    ...(find !== '' && { MailSuppression: `*${find}*` }),
  });
  const { rows, count } = rowsOf(answer);
  return administrationAnswer(call, {
    title: 'Blocked addresses',
    path: MAILBOXES_PATH,
    below: [{ text: 'Blocked addresses' }],
    intro:
      'Mail to these addresses is not sent: they do not exist, their owners unsubscribed, or someone blocked them.',
    status: refused?.status,
    toasts: messageToasts(call, PATH),
    body: html`${
      refused && refused.field !== 'MailSuppression' && banner({ tone: 'danger', role: 'alert', text: refused.message })
    }
${call.may('mailsuppression/save') && blockForm(call, refused)}
${card({
  id: 'blocked',
  title: 'Addresses',
  note: count,
  actions: html`<form class="row" action="${PATH}" method="get" role="search" aria-label="Blocked addresses"><label
 class="hidden"
 for="find-address">Find an address</label><input class="input" id="find-address" name="find" type="search"
 value="${find}" placeholder="Find an address">${button({ text: 'Find', kind: 'quiet' })}</form>`,
  body:
    rows.length === 0
      ? emptyState({
          icon: 'check',
          title: find === '' ? 'No address is blocked.' : 'No blocked address contains this text.',
        })
      : html`${blockedTable(call, rows)}${pageTurn({
          start,
          shown: rows.length,
          size: PAGE_ROWS,
          count,
          to: (at) => withQuery(PATH, { find, RecordStart: String(at) }),
        })}`,
})}`,
  });
}

function blockForm(call: PageCall, refused: PlatformError | undefined): Markup {
  return html`<form class="row wrap end-aligned" method="post" action="${PATH}">${csrfField(call)}
${textField({
  label: 'Block an address',
  name: 'MailSuppression',
  type: 'email',
  value: plainText(call.form['MailSuppression']),
  isRequired: true,
  ...(refused?.field === 'MailSuppression' && { error: sentenceFor(refused) }),
})}
${textField({
  label: 'Why',
  name: 'Detail',
  value: plainText(call.form['Detail']),
  isRequired: false,
  attributes: html`maxlength="300"`,
})}
${button({ text: 'Block', name: 'Action', value: 'block' })}</form>`;
}

function blockedTable(call: PageCall, rows: readonly BlockedRow[]): Markup {
  const { columns } = call.platform.registry.recordType('MailSuppression');
  const shown = (name: string, value: string | null): string => {
    const field = columns.get(name)?.field;
    return value === null || !field ? (value ?? '') : valueLabel(field, value);
  };
  const line = (row: BlockedRow): Markup => html`<tr><th scope="row"><bdi>${row.MailSuppression}</bdi></th>
<td>${shown('reason', row.Reason)}${
    (row.Detail ?? '') !== '' &&
    html`<br><span
 class="small muted"><bdi>${row.Detail}</bdi></span>`
  }</td>
<td>${shown('scope', row.Scope)}</td>
<td>${shortTimeMark(call, row.CreatedDate)}</td>
<td><div class="row end">${
    row.MessageID !== null &&
    html`<a class="link"
 href="${messagePath(row.MessageID)}">Message</a>`
  }${
    call.may('mailsuppression/delete') &&
    html`<form method="post" action="${PATH}">${csrfField(call)}${hiddenField('ID', row.MailSuppressionID)}${button({
      text: 'Unblock',
      kind: 'quiet',
      name: 'Action',
      value: 'lift',
      of: row.MailSuppression ?? '',
    })}</form>`
  }</div></td></tr>\n`;
  return table({
    label: 'Blocked addresses',
    heads: ['Address', 'Why', 'Blocked', 'Since', { text: 'Message and actions', isHidden: true }],
    rows: rows.map(line),
  });
}
