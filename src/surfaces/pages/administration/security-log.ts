import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { recordField, textField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { table } from '../design/table.ts';
import { recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { shortTimeMark } from '../due-words.ts';
import { rowsOf } from '../table.ts';
import { administrationAnswer } from './frame.ts';
import { eventFilter, eventWords, offeredEvents } from './security-events.ts';

const PATH = '/administration/security';
/** Seconds between two reads of the live view. */
const LIVE_SECONDS = 3;
/** Entries of one page. */
const PAGE_ROWS = 50;
/** Most entries of a download. */
const DOWNLOAD_ROWS = 1000;

/** The filters of the page, by their names in the address. */
interface LogFilters {
  readonly Event: string;
  readonly PersonID: string;
  readonly Address: string;
  /** The ID of an API key: its uses and changes. */
  readonly Key: string;
  readonly From: string;
  readonly To: string;
}

/** Shows the security log, newest first, filtered by event, user, address and time. */
export const securityPage = page(async (call) => {
  const text = (name: string): string => plainText(call.query[name]).trim();
  const filters: LogFilters = {
    Event: text('Event'),
    PersonID: text('PersonID'),
    Address: text('Address'),
    Key: text('Key'),
    From: text('From'),
    To: text('To'),
  };
  const start = rowOffset(call.query['RecordStart']);
  const isLive = call.query['Live'] === 'true' && start === 0;
  const found = await entries(call, filters, start);
  const download = new URLSearchParams({
    ...searchOf(filters),
    OrderBy: '-SecurityLogID',
    DisplaySize: String(DOWNLOAD_ROWS),
    Output: 'Csv',
  }).toString();
  return administrationAnswer(call, {
    title: 'Security log',
    path: PATH,
    status: found.status,
    intro: 'Sign-ins, refused calls, and changes of access, settings and keys.',
    actions: html`${liveLink(filters, isLive)}${buttonLink({
      text: 'Download as CSV',
      href: `/api/securitylog/search?${download}`,
      icon: 'export',
      download: 'security-log.csv',
    })}`,
    entries: ['list'],
    done: call.query['done'] === 'revoked' ? 'Key revoked. It no longer works anywhere.' : undefined,
    body: html`${filters.Key !== '' && (await keyBanner(call, filters.Key))}${card({
      id: 'log',
      title: 'Entries',
      actions: buttonLink({ text: 'Newest', href: securityLogPath(filters), icon: 'refresh', kind: 'quiet' }),
      body: html`${filterForm(filters)}${chips(filters)}${isLive && liveNote()}<div id="log-entries"${
        isLive && html` data-refresh-seconds="${LIVE_SECONDS}"`
      }>${found.body}</div>`,
    })}`,
  });
});

/** Renders the link that begins or pauses the live view. */
function liveLink(filters: LogFilters, isLive: boolean): Markup {
  const path = securityLogPath(filters);
  return isLive
    ? buttonLink({ text: 'Pause', href: path, icon: 'hold', key: 'l' })
    : buttonLink({ text: 'Live', href: `${path}${path.endsWith('?') ? '' : '&'}Live=true`, icon: 'refresh', key: 'l' });
}

function liveNote(): Markup {
  return html`<p class="card-body soft" role="status">Live: new entries appear at the top every ${LIVE_SECONDS} seconds,
until you pause or leave.</p>`;
}

/** Returns the address of the log with some filters. */
export function securityLogPath(filters: Partial<LogFilters>): string {
  const set = Object.entries(filters).filter(([, value]) => value !== '');
  return `${PATH}?${new URLSearchParams(set).toString()}`;
}

/** Says whose key the log is about, with the way to what else its user did. */
async function keyBanner(call: PageCall, id: string): Promise<Markup | false> {
  if (!/^\d{1,15}$/.test(id) || !call.may('apikey/search')) return false;
  const { answer } = await call.call('apikey/search', { RecordCount: false }, { ApiKeyID: id });
  const [key] = answer.rows;
  if (!key) return false;
  const labels = await loadLabels(call, [referencesOf([key], ['PersonID', 'Person'])]);
  const user = labels.get('Person')?.get(key.PersonID) ?? String(key.PersonID);
  const revoked = key.RevokedDate !== null && html` Revoked ${shortTimeMark(call, key.RevokedDate)}.`;
  return banner({
    tone: 'info',
    icon: 'key',
    text: html`<span class="strong"><bdi>${key.ApiKey}</bdi></span> <span class="mono">${key.KeyStart}…</span>, a key of
<bdi>${user}</bdi>.${revoked} Uses are noted once an hour for each address.`,
    actions: html`<a class="link" href="${securityLogPath({ PersonID: String(key.PersonID) })}">All that its
user did</a>`,
  });
}

/** Names of the filters that a chip says. */
const chipNames = {
  Event: 'Event',
  PersonID: 'User',
  Address: 'Address',
  Key: 'API key',
  From: 'From',
  To: 'To',
} as const;

/** Renders the filters that are set, each with the way to remove it. */
function chips(filters: LogFilters): Markup | false {
  const set = (Object.keys(chipNames) as (keyof LogFilters)[]).filter((name) => filters[name] !== '');
  if (set.length === 0) return false;
  return html`<ul class="row wrap card-body log-chips" aria-label="Filters that are set">${set.map((name) => {
    const value = name === 'Event' ? eventWords(filters[name]) : filters[name];
    return html`<li><a class="button quiet" href="${securityLogPath({ ...filters, [name]: '' })}">${chipNames[name]}:
<bdi>${value}</bdi> ${icon('close', 12)}<span class="hidden"> Remove this filter</span></a></li>\n`;
  })}</ul>`;
}

/** Returns the filters as the search takes them. */
function searchOf({ Event, PersonID, Address, Key, From, To }: LogFilters): Record<string, string> {
  return {
    ...(Event === '' ? {} : { SecurityLog: eventFilter(Event) }),
    ...(PersonID === '' ? {} : { PersonID }),
    ...(Address === '' ? {} : { Address }),
    ...(Key === '' ? {} : { Object: 'ApiKey', ObjectID: Key }),
    ...datesOf(From, To),
  };
}

function datesOf(from: string, to: string): Record<string, string> {
  if (from === '' && to === '') return {};
  if (from === '') return { CreatedDate: `<=${to}` };
  return { CreatedDate: to === '' ? `>=${from}` : `${from} - ${to}` };
}

async function entries(
  call: PageCall,
  filters: LogFilters,
  start: number,
): Promise<{ readonly status: number; readonly body: Markup }> {
  try {
    const { answer } = await call.call(
      'securitylog/search',
      { OrderBy: '-SecurityLogID', RecordStart: start, DisplaySize: PAGE_ROWS, RecordCount: 'false' },
      searchOf(filters),
    );
    const { rows } = rowsOf(answer);
    if (rows.length === 0) return { status: 200, body: nothing(filters) };
    const labels = await loadLabels(call, [referencesOf(rows, ['PersonID', 'Person'])]);
    return { status: 200, body: html`${logTable(call, rows, labels)}${paging(filters, start, rows.length)}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return { status: 400, body: html`<div class="card-body">${errorNote(error.masked())}</div>` };
  }
}

function nothing(filters: LogFilters): Markup {
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return emptyState({
    title: isFiltered ? 'No entries match these filters.' : 'The security log is empty.',
    action: isFiltered && buttonLink({ text: 'Show all entries', href: PATH }),
  });
}

function logTable(call: PageCall, rows: readonly RowNamed<'SecurityLog'>[], labels: Labels): Markup {
  return table({
    label: 'Security log',
    className: 'wrap',
    heads: ['When', 'Event', 'User', 'Address', 'About', 'Details', 'Reference'],
    rows: rows.map((row) => logRow(call, row, labels)),
  });
}

function logRow(call: PageCall, row: RowNamed<'SecurityLog'>, labels: Labels): Markup {
  const { PersonID: person, Object: object, ObjectID: id, SecurityLog: event } = row;
  const user =
    person !== null &&
    html`<a href="/administration/users/${person}">${labels.get('Person')?.get(person) ?? person}</a>`;
  return html`<tr>
<td class="nowrap">${shortTimeMark(call, row.CreatedDate)}</td>
<th scope="row"><a href="${PATH}?Event=${event}">${eventWords(event ?? '')}</a></th>
<td>${user}</td>
<td class="mono">${row.Address}</td>
<td>${object !== null && (id === null ? object : recordLink(call, object, id, undefined))}</td>
<td>${row.Detail}</td>
<td class="mono muted">${row.CorrelationID}</td>
</tr>\n`;
}

function paging(filters: LogFilters, start: number, count: number): Markup {
  const to = (at: number): string =>
    `${PATH}?${new URLSearchParams({ ...filters, RecordStart: String(at) }).toString()}`;
  return html`<nav class="page-turn" aria-label="Pages">
${start > 0 && html`<a href="${to(Math.max(0, start - PAGE_ROWS))}" rel="prev">Newer</a>`}
${count === PAGE_ROWS && html`<a href="${to(start + PAGE_ROWS)}" rel="next">Older</a>`}
</nav>`;
}

function filterForm(filters: LogFilters): Markup {
  return html`<form class="filter-line" method="get" action="${PATH}" role="search" aria-label="Filter">
${filters.Key !== '' && hiddenField('Key', filters.Key)}
${textField({
  label: 'Event',
  name: 'Event',
  value: filters.Event === '' ? '' : eventWords(filters.Event),
  attributes: html`placeholder="Sign-in refused" list="event-names" autocomplete="off"`,
})}
<datalist id="event-names">${offeredEvents.map((words) => html`<option value="${words}"></option>`)}</datalist>
${recordField({ label: 'User', name: 'PersonID', value: filters.PersonID, type: 'Person' })}
${textField({ label: 'Address', name: 'Address', value: filters.Address })}
${textField({ label: 'From', name: 'From', type: 'date', value: filters.From })}
${textField({ label: 'To', name: 'To', type: 'date', value: filters.To })}
${button({ text: 'Filter', icon: 'filter' })}
${buttonLink({ text: 'Clear', href: PATH, kind: 'quiet' })}
</form>`;
}
