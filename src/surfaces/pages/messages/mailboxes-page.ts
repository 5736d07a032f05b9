import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { columnLabel, valueLabel } from '../../../kernel/declare/labels.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { administrationAnswer } from '../administration/frame.ts';
import { hiddenField } from '../components.ts';
import { badge, type Tone } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { facts } from '../design/list.ts';
import { noValue } from '../display-values.ts';
import { plural, shortTimeMark } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';

/** The page of mailboxes. */
export const MAILBOXES_PATH = '/administration/mailboxes';
const BOXES_MAX = 100;
const RULES_MAX = 500;
const TEXT_CHARACTERS_MAX = 400;

type MailboxRow = RowNamed<'MailInbound'>;
type RuleRow = RowNamed<'MailProcessor'>;

/** Lists the mailboxes with their state, their rules in order, and what can be done. */
export const mailboxesPage = page((call) => mailboxesAnswer(call));

/** Tests a mailbox, or receives its mail now, and reports the result. */
export const changeMailbox = page(async (call): Promise<PageAnswer> => {
  const name = plainText(call.form['Account']);
  try {
    const isTest = plainText(call.form['Action']) === 'test';
    const result = isTest ? await testMailbox(call) : await receiveNow(call, name);
    return { redirectTo: `${MAILBOXES_PATH}?${new URLSearchParams({ ...result, account: name }).toString()}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return mailboxesAnswer(call, error.masked());
  }
});

/** What came of a button: words about what works, or the problem. */
type Result = { readonly works: string } | { readonly problem: string };

async function testMailbox(call: PageCall): Promise<Result> {
  const { answer } = await call.call('mailinbound/test', { ID: Number(plainText(call.form['ID'])) });
  const { Status, Message } = answer.row;
  const text = (Message ?? '').slice(0, TEXT_CHARACTERS_MAX);
  return Status === 'Works'
    ? { works: text || 'Connected and signed in.' }
    : { problem: text || 'The server does not respond.' };
}

async function receiveNow(call: PageCall, name: string): Promise<Result> {
  const { answer } = await call.call('message/receive', { Account: [name] });
  const [row] = answer.rows;
  if (!row) return { problem: 'Mailbox not found.' };
  const { Error: problem, Received, SetAside, Behind } = row;
  if (typeof problem === 'string') return { problem: problem.slice(0, TEXT_CHARACTERS_MAX) };
  const waiting = typeof Behind === 'number' && Behind > 0 ? ` ${plural(Behind, 'email')} still to receive.` : '';
  const aside = SetAside > 0 ? ` ${SetAside} set aside.` : '';
  return { works: `${plural(Received, 'new email')} received.${aside}${waiting}` };
}

async function mailboxesAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const [boxes, rules] = await Promise.all([
    call.call('mailinbound/search', { OrderBy: 'Sequence,MailInbound', DisplaySize: BOXES_MAX, RecordCount: 'false' }),
    call.may('mailprocessor/search')
      ? call.call('mailprocessor/search', { OrderBy: 'Sequence', DisplaySize: RULES_MAX, RecordCount: 'false' })
      : undefined,
  ]);
  const { rows } = boxes.answer;
  const byBox = Map.groupBy(rules?.answer.rows ?? [], ({ MailInboundID }) => MailInboundID);
  return administrationAnswer(call, {
    title: 'Mailboxes',
    path: MAILBOXES_PATH,
    intro: 'Mail from these mailboxes becomes messages. It is filed with the message it answers, or by rules.',
    actions: html`${buttonLink({
      text: 'Blocked addresses',
      kind: 'quiet',
      href: '/administration/blocked-addresses',
    })}${
      call.may('mailinbound/save') &&
      buttonLink({ text: 'New mailbox', kind: 'primary', href: '/records/mailinbound/new' })
    }`,
    status: refused?.status,
    body: html`${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${
  rows.length === 0
    ? emptyState({
        icon: 'message',
        title: 'There are no mailboxes yet.',
        text: 'Add the mailbox that people reply to. Its mail is then filed on the cases that it is about.',
      })
    : html`<div id="mailboxes" class="stack" data-live="mailinbound" data-live-mode="quiet">${rows.map((row) =>
        mailboxCard(call, row, byBox.get(row.MailInboundID) ?? []),
      )}</div>`
}`,
  });
}

const tones: Readonly<Record<string, Tone>> = {
  Idle: 'neutral',
  Watching: 'ok',
  Failed: 'danger',
  SignInNeeded: 'danger',
};

function mailboxCard(call: PageCall, row: MailboxRow, rules: readonly RuleRow[]): Markup {
  const record = call.platform.registry.recordType('MailInbound');
  const id = row.MailInboundID;
  const name = row.MailInbound ?? `Mailbox ${id}`;
  const state = row.Active === false ? badge('Off') : stateBadge(call, row);
  const own = plainText(call.query['account']) === name;
  const [works, problem] = [plainText(call.query['works']), plainText(call.query['problem'])];
  const time = (at: string | null): Markup => shortTimeMark(call, at) || noValue;
  return card({
    id: `mailbox-${id}`,
    title: html`<bdi>${name}</bdi>`,
    note: html`${row.Address ?? ''}`,
    actions: html`${state}${actions(call, row)}`,
    body: html`<div class="card-body stack">${
      own && works !== '' && banner({ tone: 'ok', role: 'status', text: works.slice(0, TEXT_CHARACTERS_MAX) })
    }${own && problem !== '' && banner({ tone: 'danger', role: 'alert', text: problem.slice(0, TEXT_CHARACTERS_MAX) })}
${facts([
  ['Server', html`<bdi>${row.Host}</bdi> <span class="muted"><bdi>${row.Folder ?? 'INBOX'}</bdi></span>`],
  [columnLabel(record, 'LastLook'), time(row.LastLook)],
  [columnLabel(record, 'LastSuccess'), time(row.LastSuccess)],
  [
    columnLabel(record, 'Behind'),
    row.Behind === null
      ? noValue
      : html`<span${row.Behind > 0 && html` class="soon"`}>${plural(row.Behind, 'email')}</span>`,
  ],
  ['Last error', (row.LastError ?? '') !== '' && html`<span class="late"><bdi>${row.LastError}</bdi></span>`],
])}
${ruleList(call, id, rules)}</div>`,
  });
}

function stateBadge(call: PageCall, { State: state }: MailboxRow): Markup {
  if (state === null) return badge('Not checked yet');
  const field = call.platform.registry.recordType('MailInbound').columns.get('state')?.field;
  return badge(field ? valueLabel(field, state) : state, tones[state] ?? 'neutral');
}

function actions(call: PageCall, { MailInboundID: id, MailInbound: name }: MailboxRow): Markup {
  const post = (action: string, text: string): Markup =>
    html`<form method="post" action="${MAILBOXES_PATH}">${csrfField(call)}${hiddenField('ID', id)}${hiddenField(
      'Account',
      name ?? '',
    )}${button({ text, name: 'Action', value: action, of: name ?? '' })}</form>`;
  return html`${call.may('mailinbound/test') && post('test', 'Test')}${
    call.may('message/receive') && post('receive', 'Receive now')
  }${
    call.may('mailinbound/save') &&
    buttonLink({ text: 'Edit', of: name ?? '', kind: 'quiet', href: `/records/mailinbound/${id}/edit` })
  }`;
}

/** Renders the rules of a mailbox in the order in which they are tried. */
function ruleList(call: PageCall, boxId: number, rules: readonly RuleRow[]): Markup {
  const field = call.platform.registry.recordType('MailProcessor').columns.get('processor')?.field;
  const query = new URLSearchParams({ MailInboundID: String(boxId) }).toString();
  const add =
    call.may('mailprocessor/save') &&
    html`<a class="link small" href="/records/mailprocessor/new?${query}">Add a rule</a>`;
  if (rules.length === 0)
    return html`<div><p class="small soft">No rules: mail is filed with the message it answers.</p>${add}</div>`;
  const line = (rule: RuleRow): Markup => {
    const kind = field && rule.Processor !== null ? valueLabel(field, rule.Processor) : (rule.Processor ?? '');
    const href = `/records/mailprocessor/${rule.MailProcessorID}`;
    return html`<li><a class="link" href="${href}"><bdi>${(rule.MailProcessor ?? '') || kind}</bdi></a> <span
 class="muted small">${kind}</span> ${rule.Active === false && badge('Off')} <code
 class="mono"><bdi>${rule.MessageStatement}</bdi></code></li>`;
  };
  return html`<div><h3>Rules, in this order</h3><ol class="mailbox-rules">${rules.map(line)}</ol>${add}</div>`;
}
