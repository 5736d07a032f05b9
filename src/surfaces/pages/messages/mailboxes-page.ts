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
import { rowsOf } from '../table.ts';
import { senderAdvice, USE_SERVER } from './sender-advice.ts';

/** The page of mailboxes. */
export const MAILBOXES_PATH = '/administration/mailboxes';
const SET_ASIDE_PATH = '/messages/set-aside';
const BOXES_MAX = 100;
const RULES_MAX = 500;

type MailboxRow = RowNamed<'MailInbound'>;
type RuleRow = RowNamed<'MailProcessor'>;

/** Lists the mailboxes with their state, their rules in order, and what can be done. */
export const mailboxesPage = page((call) => mailboxesAnswer(call));

/** Tests a mailbox, or receives its mail now; the page then shows the stored result. */
export const changeMailbox = page(async (call): Promise<PageAnswer> => {
  const id = Number(plainText(call.form['ID']));
  try {
    const query = await carryOut(call, id);
    return { redirectTo: `${MAILBOXES_PATH}?${new URLSearchParams(query).toString()}#mailbox-${id}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return mailboxesAnswer(call, error.masked());
  }
});

/** Carries out what a button says; returns the query with which the page reports it. */
function carryOut(call: PageCall, id: number): Promise<Record<string, string>> {
  const action = plainText(call.form['Action']);
  if (action === 'test') return testMailbox(call, id);
  return action === USE_SERVER ? useServer(call, id) : receiveNow(call, id);
}

/** Saves the server whose checks of senders count. */
async function useServer(call: PageCall, id: number): Promise<Record<string, string>> {
  await call.call('mailinbound/save', { ID: id, AuthenticationServer: plainText(call.form['Server']) });
  return { server: String(id) };
}

async function testMailbox(call: PageCall, id: number): Promise<Record<string, string>> {
  await call.call('mailinbound/test', { ID: id });
  return { tested: String(id) };
}

async function receiveNow(call: PageCall, id: number): Promise<Record<string, string>> {
  const since = call.platform.clock.now();
  try {
    await call.call('message/receive', { Account: [plainText(call.form['Account'])] });
  } catch (error) {
    // The mailbox has the reason.
    if (!(error instanceof PlatformError) || !['UNAVAILABLE', 'STATE_REFUSES'].includes(error.code)) throw error;
  }
  return { received: String(id), since };
}

/** A mailbox that was just tested or read, and the mail that was received. */
interface Tried {
  readonly id: number;
  readonly isTest: boolean;
  /** Whether the server that checks its senders was just saved. */
  readonly isServerSaved?: true;
  /** Mail received since, by status; undefined if the user may not read them. */
  readonly counts?: { readonly received: number; readonly setAside: number } | undefined;
}

async function readTried(call: PageCall): Promise<Tried | undefined> {
  const text = (name: string): string => plainText(call.query[name]);
  const [tested, id, since] = [Number(text('tested')), Number(text('received')), Date.parse(text('since'))];
  if (tested > 0) return { id: tested, isTest: true };
  const saved = Number(text('server'));
  if (saved > 0) return { id: saved, isTest: false, isServerSaved: true };
  if (!Number.isSafeInteger(id) || id < 1 || Number.isNaN(since)) return undefined;
  if (!call.may('mailreceipt/search')) return { id, isTest: false };
  const [received, setAside] = await Promise.all(
    (['Received', 'SetAside'] as const).map(async (Status) => {
      const { answer } = await call.call('mailreceipt/search', {
        MailInboundID: id,
        CreatedDate: `>=${new Date(since).toISOString()}`,
        Status,
        SqlColumns: 'MailReceiptID',
        DisplaySize: 1,
      });
      return rowsOf(answer).count;
    }),
  );
  return { id, isTest: false, counts: { received: received ?? 0, setAside: setAside ?? 0 } };
}

/** Says what came of a button of a mailbox, from what is stored of it. */
function triedBanner({ isTest, isServerSaved, counts }: Tried, { LastError: error }: MailboxRow): Markup {
  if (isServerSaved)
    return banner({
      tone: 'ok',
      role: 'status',
      text: 'Saved. From now on, emails whose sender this server confirms are filed.',
    });
  if ((error ?? '') !== '')
    return banner({
      tone: 'danger',
      role: 'alert',
      text: html`${isTest ? 'The test failed.' : 'Email could not be received.'} <bdi>${error}</bdi>`,
    });
  if (isTest) return banner({ tone: 'ok', role: 'status', text: 'Test passed: connected, signed in, folder opened.' });
  if (!counts) return banner({ tone: 'ok', role: 'status', text: 'All mail is received.' });
  const { received, setAside } = counts;
  const text = received === 0 ? 'No new mail.' : `${plural(received, 'new email')} received.`;
  return banner({
    tone: setAside > 0 ? 'warn' : 'ok',
    role: 'status',
    text: `${text}${setAside > 0 ? ` ${setAside} set aside.` : ''}`,
    actions: setAside > 0 && buttonLink({ text: 'Show what was set aside', kind: 'quiet', href: SET_ASIDE_PATH }),
  });
}

async function mailboxesAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const [boxes, rules, tried] = await Promise.all([
    call.call('mailinbound/search', { OrderBy: 'Sequence,MailInbound', DisplaySize: BOXES_MAX, RecordCount: 'false' }),
    call.may('mailprocessor/search')
      ? call.call('mailprocessor/search', { OrderBy: 'Sequence', DisplaySize: RULES_MAX, RecordCount: 'false' })
      : undefined,
    readTried(call),
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
        mailboxCard(call, row, {
          rules: byBox.get(row.MailInboundID) ?? [],
          tried: tried?.id === row.MailInboundID ? tried : undefined,
        }),
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

interface MailboxParts {
  readonly rules: readonly RuleRow[];
  readonly tried: Tried | undefined;
}

function mailboxCard(call: PageCall, row: MailboxRow, { rules, tried }: MailboxParts): Markup {
  const record = call.platform.registry.recordType('MailInbound');
  const id = row.MailInboundID;
  const name = row.MailInbound ?? `Mailbox ${id}`;
  const state = row.Active === false ? badge('Off') : stateBadge(call, row);
  const time = (at: string | null): Markup => shortTimeMark(call, at) || noValue;
  return card({
    id: `mailbox-${id}`,
    title: html`<bdi>${name}</bdi>`,
    note: html`${row.Address ?? ''}`,
    actions: html`${state}${actions(call, row)}`,
    body: html`<div class="card-body stack">${tried && triedBanner(tried, row)}
${senderAdvice(call, row, MAILBOXES_PATH)}
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
  ['Last error', !tried && (row.LastError ?? '') !== '' && html`<span class="late"><bdi>${row.LastError}</bdi></span>`],
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
