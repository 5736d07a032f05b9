import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { tabs } from '../design/tabs.ts';
import { toast } from '../design/toast.ts';
import { shortDay } from '../days.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { LETTER_STATES } from './letter-state.ts';
import { amount, letterTable, type LetterRow } from './letter-table.ts';

/** Most letters of a mailing. */
const LETTERS_MAX = 500;

/** Shows a mailing: its letters by state, what they cost, and what can be done. */
export const mailingPage = page((call) => mailingAnswer(call));

/** Submits, cancels, retries or tracks letters of a mailing, or records that one came back. */
export const changeMailing = page(async (call) => {
  const id = recordIdFromPath(call);
  try {
    const done = await perform(call, id);
    return { redirectTo: `/mailings/${id}?done=${done}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return mailingAnswer(call, error.masked());
  }
});

async function perform(call: PageCall, id: number): Promise<string> {
  const ID = plainTexts(call.form['ID']).filter((each) => /^\d{1,15}$/.test(each));
  switch (plainText(call.form['Action'])) {
    case 'submit':
      await call.call('delivery/submit', { DeliveryBatchID: id });
      return 'submitted';
    case 'track':
      await call.call('delivery/track', { DeliveryBatchID: id });
      return 'tracked';
    case 'retry':
      await call.call('delivery/retry', { ID: requireSelected(ID) });
      return 'retried';
    case 'cancel':
      await call.call('delivery/cancel', { ID: requireSelected(ID) });
      return 'canceled';
    case 'return': {
      const [only] = requireSelected(ID);
      if (ID.length > 1 || only === undefined)
        throw new PlatformError('BAD_PARAMETER', { message: 'Returns are recorded one letter at a time: select one.' });
      await call.call('delivery/return', { ID: only, Reason: plainText(call.form['Reason']) });
      return 'returned';
    }
    default:
      throw new PlatformError('BAD_PARAMETER', { field: 'Action', message: 'Choose what to do with the letters.' });
  }
}

function requireSelected(ids: readonly string[]): string[] {
  if (ids.length === 0)
    throw new PlatformError('BAD_PARAMETER', { message: 'Select the letters first, then choose what to do.' });
  return [...ids];
}

const doneWords: ReadonlyMap<string, string> = new Map([
  ['prepared', 'Letters prepared. Nothing has left yet.'],
  ['submitted', 'Letters are being sent to the mail house'],
  ['tracked', 'Letters checked with the mail house'],
  ['retried', 'Letters are mailed again'],
  ['canceled', 'Letters canceled, or cancellation requested'],
  ['returned', 'Return recorded; the address is flagged on the contact'],
]);

async function mailingAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  const [{ answer: selected }, { answer: found }] = await Promise.all([
    call.call('deliverybatch/select', { ID: id }),
    call.call('delivery/search', {
      DeliveryBatchID: String(id),
      OrderBy: ['DeliveryID'],
      DisplaySize: LETTERS_MAX,
      RecordCount: 'false',
    }),
  ]);
  const mailing = selected.row;
  const { rows } = found;
  const shownState = LETTER_STATES.find(
    (state) => state.toLowerCase() === plainText(call.query['state']).toLowerCase(),
  );
  const shown = shownState === undefined ? rows : rows.filter(({ Status }) => Status === shownState);
  const title = mailing.DeliveryBatch ?? `Mailing ${id}`;
  const done = doneWords.get(plainText(call.query['done']));
  const letters =
    shown.length === 0
      ? emptyState({ title: 'No such letters', icon: 'message' })
      : await letterTable(call, shown, { isSelectable: true, hasCase: true });
  return {
    title,
    place: 'documents',
    crumbs: [{ text: 'Mailings', href: '/records/deliverybatch' }, { text: title }],
    ...(refused && { status: refused.status }),
    toasts: done === undefined ? [] : [toast({ text: done })],
    entries: ['list'],
    body: html`<div class="page wide mailing">
<div class="page-head"><div class="grow"><h1><bdi>${title}</bdi></h1>${about(call, mailing, rows)}</div>
<div class="row wrap">${downloads(call, rows)}${mainAction(call, mailing, rows)}</div></div>
${refused && banner({ tone: 'danger', text: refused.message, role: 'alert' })}
${note(mailing)}
<div id="letters-live" data-live="deliverybatch/${id}" data-live-mode="quiet">
${stateTabs(id, rows, shownState)}
${letters}
</div>
${actions(call, id)}
</div>`,
  };
}

type Mailing = RowNamed<'DeliveryBatch'>;

function about(call: PageCall, { MailHouse, MailClass, RequestedDate }: Mailing, rows: readonly LetterRow[]): Markup {
  const cents = rows.reduce(
    (sum, { Cost, Status }) => sum + (Status === 'Canceled' ? 0 : Math.round(Number(Cost) * 100)),
    0,
  );
  const sheets = rows.reduce((sum, { Sheets }) => sum + (Sheets ?? 0), 0);
  const sizes = `${plural(rows.length, 'letter')} · ${plural(sheets, 'sheet')}`;
  const approved = RequestedDate !== null && html` · approved ${shortDay(call, RequestedDate)}`;
  return html`<p class="soft">${sizes} · <bdi>${MailClass}</bdi> · <bdi>${MailHouse}</bdi>
· ${amount((cents / 100).toFixed(2))}${approved}</p>`;
}

/** Says what the mailing waits for. */
function note({ Status, LastError }: Mailing): Markup | false {
  if (Status === 'Preparing')
    return banner({ tone: 'info', text: 'The documents are still being generated. Nothing has left yet.' });
  if (Status === 'Waiting' && LastError !== null)
    return banner({
      tone: 'warn',
      text: `The mail house did not accept every letter: ${LastError} Another attempt is scheduled.`,
    });
  return false;
}

function mainAction(call: PageCall, { DeliveryBatchID, Status }: Mailing, rows: readonly LetterRow[]): Markup | false {
  const post = (action: string, text: string, kind: 'primary' | 'plain'): Markup =>
    html`<form method="post" action="/mailings/${DeliveryBatchID}">${csrfField(call)}${button({
      text,
      kind,
      name: 'Action',
      value: action,
    })}</form>`;
  const hasPrepared = rows.some((row) => row.Status === 'Prepared');
  if (Status === 'Prepared' && hasPrepared && call.may('delivery/submit'))
    return post('submit', 'Submit to the mail house', 'primary');
  const isOpen = rows.some((row) => ['Unknown', 'Submitted', 'Mailed'].includes(row.Status ?? ''));
  return isOpen && call.may('delivery/track') && post('track', 'Ask the mail house', 'plain');
}

function downloads(call: PageCall, rows: readonly LetterRow[]): Markup | false {
  const ids = rows.flatMap(({ AttachmentID }) => AttachmentID ?? []);
  if (ids.length === 0 || !call.may('attachment/combine')) return false;
  const link = (as: string, text: string): Markup =>
    html`<a class="button" href="/api/attachment/combine?ID=${ids.join(',')}&amp;As=${as}" download>${text}</a>`;
  return html`${link('Pdf', 'All as PDF')}${link('Zip', 'All as zip')}`;
}

function stateTabs(id: number, rows: readonly LetterRow[], shown: string | undefined): Markup {
  const counts = Map.groupBy(rows, ({ Status }) => Status ?? '');
  const present = LETTER_STATES.filter((state) => counts.has(state));
  return tabs('Letters by state', [
    { href: `/mailings/${id}`, text: 'All', count: String(rows.length), isCurrent: shown === undefined },
    ...present.map((state) => ({
      href: `/mailings/${id}?state=${state.toLowerCase()}`,
      text: state,
      count: String(counts.get(state)?.length ?? 0),
      isCurrent: state === shown,
    })),
  ]);
}

/** Renders what can be done with the selected letters. */
function actions(call: PageCall, id: number): Markup | false {
  const one = (action: string, text: string): Markup => button({ text, name: 'Action', value: action });
  const mayReturn = call.may('delivery/return');
  if (!call.may('delivery/cancel') && !call.may('delivery/retry') && !mayReturn) return false;
  return html`<form class="card mailing-actions" id="letters" method="post" action="/mailings/${id}"
aria-label="Selected letters">
${csrfField(call)}
<div class="row wrap">${call.may('delivery/retry') && one('retry', 'Try failed letters again')}
${call.may('delivery/cancel') && one('cancel', 'Cancel')}</div>
${
  mayReturn &&
  html`<div class="row wrap end">${textField({
    label: 'Why it came back',
    name: 'Reason',
    hint: 'As on the envelope.',
    value: plainText(call.form['Reason']),
  })}${one('return', 'Record a return')}</div>`
}</form>`;
}
