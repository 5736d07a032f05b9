import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { recordField, textField } from '../design/field.ts';
import { tabs } from '../design/tabs.ts';
import { toast } from '../design/toast.ts';
import { recordLink } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { idOf } from './ledger-state.ts';
import { timeEntries } from './time-entries.ts';
import { TIME_PATH, timeFilter, timePath, timeQuery, type TimeFilter, type TimeView } from './time-filter.ts';
import { timeTotals } from './time-totals.ts';

/** Shows time entries to review, and their totals by timekeeper and case. */
export const timePage = page((call) => timeAnswer(call, timeFilter(call, call.query)));

/** Approves or rejects the ticked entries, or undoes that. */
export const reviewTime = page(async (call): Promise<PageAnswer> => {
  const filter = timeFilter(call, Object.fromEntries(new URLSearchParams(plainText(call.form['Filter']))));
  const action = plainText(call.form['Action']);
  const ids = plainTexts(call.form['ID'])
    .flatMap((text) => text.split(','))
    .flatMap((text) => idOf(text) ?? []);
  try {
    const unchanged = await review(call, action, ids);
    return {
      redirectTo: timePath(filter, {
        done: action,
        of: ids.join('.'),
        ...(unchanged > 0 && { unchanged: String(unchanged) }),
      }),
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return timeAnswer(call, filter, error.masked());
  }
});

/** Does what the pressed button says. Returns how many entries stayed as they were. */
async function review(call: PageCall, action: string, ID: readonly number[]): Promise<number> {
  const reason = plainText(call.form['Reason']).trim();
  if (ID.length === 0)
    throw new PlatformError('MISSING_PARAMETER', { message: 'Select entries first. Nothing was changed.' });
  const sent = { ID, ...(reason !== '' && { Reason: reason }) };
  switch (action) {
    case 'approve':
      return (await call.call('ledgeritem/approve', sent)).alerts.length;
    case 'reject':
      if (reason === '')
        throw new PlatformError('MISSING_PARAMETER', { message: 'Enter the reason. Nothing was rejected.' });
      return (await call.call('ledgeritem/reject', sent)).alerts.length;
    case 'undo':
      return (await call.call('ledgeritem/undoreview', { ID })).alerts.length;
    default:
      throw new PlatformError('BAD_PARAMETER', { field: 'Action', message: 'Choose an action for the entries.' });
  }
}

const viewNames: Readonly<Record<TimeView, string>> = {
  review: 'To review',
  approved: 'Approved',
  rejected: 'Rejected',
  all: 'All',
  totals: 'Totals',
};

async function timeAnswer(call: PageCall, filter: TimeFilter, refused?: PlatformError): Promise<PageAnswer> {
  const isTotals = filter.view === 'totals';
  const [body, bar] = await Promise.all([
    isTotals ? timeTotals(call, filter) : timeEntries(call, filter),
    filterBar(call, filter),
  ]);
  const offered = (Object.keys(viewNames) as TimeView[]).filter(
    (view) => view !== 'totals' || call.may('ledgeritem/timetotals'),
  );
  return {
    title: 'Time entries',
    place: 'team',
    crumbs: [{ text: 'Team', href: '/team' }, { text: 'Time entries' }],
    entries: ['list'],
    status: refused?.status ?? 200,
    toasts: timeToasts(call, filter),
    body: html`<div class="page wide ledger-page"><h1>Time entries</h1>
${tabs(
  'Time entries',
  offered.map((view) => ({
    href: timePath({ ...filter, view }),
    text: viewNames[view],
    isCurrent: view === filter.view,
  })),
)}
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${bar}
${body}</div>`,
  };
}

async function filterBar(call: PageCall, filter: TimeFilter): Promise<Markup> {
  const { person, case: of } = filter;
  const rows = [{ PersonID: person ?? null, Object: of?.type ?? null, ObjectID: of?.id ?? null }];
  const labels = await loadLabels(call, [referencesOf(rows, ['PersonID', 'Person'])]);
  const name = person === undefined ? undefined : labels.get('Person')?.get(person);
  return html`<form class="row wrap ledger-tools" method="get" action="${TIME_PATH}">
${filter.view !== 'review' && hiddenField('view', filter.view)}
${of && html`${hiddenField('type', of.type)}${hiddenField('case', of.id)}`}
${recordField({
  label: 'Timekeeper',
  name: 'person',
  type: 'Person',
  value: person === undefined ? '' : String(person),
  shown: name,
  accepts: 'me',
})}
${textField({ label: 'From', name: 'from', type: 'date', value: filter.from })}
${textField({ label: 'Through', name: 'to', type: 'date', value: filter.to })}
${button({ text: 'Show' })}
${
  of &&
  html`<span>Case: ${recordLink(call, of.type, of.id, labels.get(of.type)?.get(of.id))}
<a class="link" href="${timePath({ ...filter, case: undefined })}">All cases</a></span>`
}</form>`;
}

const doneWords: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'rejected',
  undo: 'restored',
};

function timeToasts(call: PageCall, filter: TimeFilter): readonly Markup[] {
  const done = plainText(call.query['done']);
  const ids = plainText(call.query['of'])
    .split('.')
    .flatMap((text) => idOf(text) ?? []);
  const unchanged = Number(call.query['unchanged'] ?? 0) || 0;
  const words = doneWords[done];
  if (words === undefined || ids.length === 0) return [];
  const count = Math.max(0, ids.length - unchanged);
  const text = `${count} ${count === 1 ? 'entry' : 'entries'} ${words}.${
    unchanged > 0 ? ` ${unchanged} not changed: locked, or already in that status.` : ''
  }`;
  if (done === 'undo' || !call.may('ledgeritem/undoreview')) return [toast({ text })];
  const undo = html`<form method="post" action="${TIME_PATH}">${csrfField(call)}${hiddenField(
    'Filter',
    timeQuery(filter).toString(),
  )}${hiddenField('ID', ids.join(','))}${button({
    text: 'Undo',
    kind: 'quiet',
    name: 'Action',
    value: 'undo',
    attributes: html`data-key="z"`,
  })}</form>`;
  return [toast({ text, undo })];
}
