import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { fileSize } from '../case/timeline-view.ts';
import { shortTimeMark } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { withQuery } from '../page-query.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { INBOX_PATH, messagePath } from './message-paths.ts';
import { pageTurn } from './page-turn.ts';
import { messageTabs, readTeams } from './message-tabs.ts';
import { messageToasts } from './message-toasts.ts';

const PAGE_ROWS = 100;
const PATH = `${INBOX_PATH}/set-aside`;

type ReceiptRow = RowNamed<'MailReceipt'>;

/** Lists mail that could not be read, each with the reason, its source and another attempt. */
export const setAsidePage = page((call) => setAsideAnswer(call));

/** Reads a mail that was set aside once more. */
export const retryMail = page(async (call): Promise<PageAnswer> => {
  try {
    const { answer } = await call.call('mailreceipt/retry', { ID: Number(plainText(call.form['ID'])) });
    const { MessageID: id, Reason: reason } = answer.row;
    if ((id ?? null) !== null) return { redirectTo: `${messagePath(id ?? 0)}?done=mail-retried` };
    throw new PlatformError('STATE_REFUSES', { message: `The email still cannot be read. ${reason ?? ''}` });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return setAsideAnswer(call, error.masked());
  }
});

async function setAsideAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const start = rowOffset(call.query['RecordStart']);
  const { answer } = await call.call('mailreceipt/search', {
    Status: 'SetAside',
    OrderBy: '-MailReceiptID',
    DisplaySize: PAGE_ROWS,
    RecordStart: start,
  });
  const { rows, count } = rowsOf(answer);
  const [labels, head] = await Promise.all([
    loadLabels(call, [referencesOf(rows, ['MailInboundID', 'MailInbound'])]),
    messageTabs(call, 'setaside', { teams: await readTeams(call) }),
  ]);
  return {
    title: 'Set aside',
    place: 'messages',
    crumbs: [{ text: 'Messages', href: INBOX_PATH }, { text: 'Set aside' }],
    hasPanes: true,
    status: refused?.status ?? 200,
    toasts: messageToasts(call, PATH),
    body: html`<div class="inbox"><div class="list-head"><h1>Messages</h1>${head}</div>
<div class="case-body scroll" tabindex="0" role="region" aria-label="Mail that was set aside"><div class="page narrow">
<p class="soft">Mail that could not be read. Nothing of it is lost: its source is stored, and it holds up no other
mail.</p>
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${
  rows.length === 0
    ? emptyState({ icon: 'check', title: 'No mail is set aside.' })
    : html`<ul class="waiting-mail">${rows.map((row) => setAsideMail(call, row, labels))}</ul>${pageTurn({
        start,
        shown: rows.length,
        size: PAGE_ROWS,
        count,
        to: (at) => withQuery(PATH, { RecordStart: String(at) }),
      })}`
}</div></div></div>`,
  };
}

function setAsideMail(call: PageCall, row: ReceiptRow, labels: Labels): Markup {
  const box = labels.get('MailInbound')?.get(row.MailInboundID ?? 0);
  const subject = (row.MailReceipt ?? '').trim() || 'No subject';
  const source =
    row.AttachmentID !== null &&
    call.may('attachment/download') &&
    html`<a class="button quiet"
 href="/api/attachment/download?ID=${row.AttachmentID}" download>${icon('database')}<span>Raw
 mail${row.Size !== null && html` <span class="muted">${fileSize(row.Size)}</span>`}</span></a>`;
  return html`<li><p class="row"><b class="cut"><bdi>${subject}</bdi></b><span
 class="muted small end nowrap">${shortTimeMark(call, row.ReceivedDate)}</span></p>
<p class="small soft"><bdi>${row.FromAddress ?? 'Unknown sender'}</bdi>${
    box !== undefined && html` · <bdi>${box}</bdi>`
  }</p>
<p class="late"><bdi>${row.Reason ?? 'No reason is known.'}</bdi></p>
<div class="row wrap">${
    call.may('mailreceipt/retry') &&
    html`<form method="post" action="${PATH}">${csrfField(call)}${hiddenField('ID', row.MailReceiptID)}${button({
      text: 'Try again',
      icon: 'refresh',
      of: subject,
    })}</form>`
  }${source}<a class="link small end" href="/records/mailreceipt/${row.MailReceiptID}">All fields</a></div></li>\n`;
}
