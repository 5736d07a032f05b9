import type { ShownConfiguration } from './configuration-rows.ts';
import type { ShownCases } from './console-rows.ts';
import type { ShownMail } from './mail-rows.ts';
import type { Reader } from './reader.ts';

/**
 * Who looks: a clerk, a team lead, an administrator, an analyst, and users of two firms, whom row security shows 7 %
 * and 0.3 % of the cases.
 */
export type Viewer = 'clerk' | 'lead' | 'administrator' | 'analyst' | 'large firm' | 'small firm';

/** What a view needs: the user's requests, which view it is, and cases to show. */
export interface View {
  readonly reader: Reader;
  readonly n: number;
  readonly shown: ShownCases & ShownConfiguration & ShownMail;
  /** What the figure's preparation returned. */
  readonly prepared: string;
}

/** A page of the console, and the time that its server part may take. */
export interface ConsoleFigure {
  readonly name: string;
  /** Rows that it needs besides cases. */
  readonly needs?: 'queue' | 'configuration' | 'mail' | 'payments';
  /** By default the clerk. */
  readonly viewer?: Viewer;
  /** At most, of the 95th percentile. */
  readonly budgetMilliseconds: number;
  /** Prepares a view, and returns what it needs; not measured. */
  readonly prepare?: (view: View) => Promise<string>;
  /** The requests of a view, one after the other. */
  readonly view: (view: View) => Promise<unknown>;
}

const LIST = 150;
const CASE = 200;
const NEXT_ITEM = 200;
const PALETTE = 80;
const INBOX = 200;

const ROW = 'id="row-';
const OPTION = 'role="option"';

/** Returns the value of a view, as text; another one for each. */
function nth(values: readonly (string | number)[], n: number): string {
  return String(values[(n * 7) % values.length] ?? '');
}

/** Returns the page of a list, and the one after it. */
async function twoPages(reader: Reader, path: string): Promise<string> {
  const first = await reader.get(path, ROW);
  const next = /href="([^"]*)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
  return reader.get(next, ROW);
}

/** Types the beginnings of texts, key by key, from three characters on. */
function typed(texts: readonly string[], n: number): string {
  const text = texts[(n >> 2) % texts.length] ?? '';
  return text.slice(0, Math.max(3, Math.ceil((text.length * (1 + (n % 4))) / 4)));
}

/** Leaves out one letter of a surname, not the first. */
function misspelled(name: string, n: number): string {
  const at = 1 + (n % Math.max(1, name.length - 2));
  return name.slice(0, at) + name.slice(at + 1);
}

const palette = (name: string, text: (view: View) => string, viewer: Viewer = 'clerk'): ConsoleFigure => ({
  name: `palette: ${name}`,
  viewer,
  budgetMilliseconds: PALETTE,
  view: (view) => view.reader.postFor('/palette', { Text: text(view) }, OPTION),
});

const list = (name: string, path: string | ((view: View) => string), viewer: Viewer = 'clerk'): ConsoleFigure => ({
  name: `list: ${name}`,
  viewer,
  budgetMilliseconds: LIST,
  view: (view) => view.reader.get(typeof path === 'string' ? path : path(view), ROW),
});

const casePage = (name: string, path: (view: View) => string, viewer: Viewer = 'clerk'): ConsoleFigure => ({
  name: `case: ${name}`,
  viewer,
  budgetMilliseconds: CASE,
  view: (view) => view.reader.get(path(view), 'data-case='),
});

const page = (name: string, path: string, viewer: Viewer = 'clerk'): ConsoleFigure => ({
  name,
  viewer,
  budgetMilliseconds: LIST,
  view: ({ reader }) => reader.get(path, '<main'),
});

/** A page of the administration, among a million rows of the queue. */
const queuePage = (name: string, path: string, expected: string): ConsoleFigure => ({
  name: `administration: ${name}`,
  viewer: 'administrator',
  needs: 'queue',
  budgetMilliseconds: LIST,
  view: ({ reader }) => reader.get(path, expected),
});

/** A page of the configuration, among 2,000 records of it. */
const configurationPage = (name: string, path: (view: View) => string): ConsoleFigure => ({
  name: `configuration: ${name}`,
  viewer: 'analyst',
  needs: 'configuration',
  budgetMilliseconds: LIST,
  view: (view) => view.reader.get(path(view), '<main'),
});

/** The inbox of a team, among 100,000 messages of it. */
const inboxPage = (name: string, query: string, viewer: Viewer = 'clerk'): ConsoleFigure => ({
  name: `messages: ${name}`,
  viewer,
  needs: 'mail',
  budgetMilliseconds: INBOX,
  view: ({ reader, shown }) => reader.get(`/messages?team=${shown.mailTeam}${query}`, 'thread='),
});

const ofLargeFirm = ({ n, shown }: View): string => `/case/foreclosure/${nth(shown.ofLargeFirm, n)}`;
const ofSmallFirm = ({ n, shown }: View): string => `/case/foreclosure/${nth(shown.ofSmallFirm, n)}`;
const busy = ({ n, shown }: View): string => `/case/foreclosure/${nth(shown.busy, n)}`;
const caseNumber = ({ n, shown }: View): string => typed(shown.numbers, n);
const borrower = ({ n, shown }: View): string => typed(shown.surnames, n);
const wrongName = ({ n, shown }: View): string => misspelled(nth(shown.surnames, n), n);
const address = ({ n, shown }: View): string => nth(shown.addresses, n).split(' ').slice(0, 2).join(' ');

export const figures: readonly ConsoleFigure[] = [
  list('the default view', '/cases'),
  list('the default view, compared while open', '/cases?Part=live'),
  list('two filters', '/cases?State=FL&Agency=INVESTOR&SqlFilters=Open&OrderBy=StageTarget'),
  list(
    'a view sorted by another column',
    ({ shown }) => `/cases?View=${shown.lateView}&SqlFilters=Late&OrderBy=Borrower`,
  ),
  list('on hold, by the due date of the next task', '/cases?Hold=not+null&OrderBy=NextDue'),
  list('the beginning of a borrower', ({ n, shown }) => `/cases?StartsWith=${nth(shown.surnames, n)}`),
  list('all cases, by ID', '/cases?View=all'),
  {
    name: 'list: late cases, two pages',
    budgetMilliseconds: 2 * LIST,
    view: ({ reader }) => twoPages(reader, '/cases?SqlFilters=Late&OrderBy=StageTarget'),
  },
  {
    name: 'list: by date opened, two pages',
    budgetMilliseconds: 2 * LIST,
    view: ({ reader }) => twoPages(reader, '/cases?SqlFilters=Open&OrderBy=-DateOpened'),
  },
  list('the default view', '/cases', 'large firm'),
  list('the default view', '/cases', 'small firm'),
  list('tasks of all cases', '/tasks'),
  page('list: contacts', '/contacts'),
  page('list: documents', '/documents'),
  page('list: messages', '/messages'),
  casePage('60 tasks, 200 changes', busy),
  casePage('60 tasks, compared while open', (view) => `${busy(view)}?Part=live`),
  casePage('60 tasks, tab of tasks', (view) => `${busy(view)}?tab=tasks`),
  casePage('200 changes, tab of history', (view) => `${busy(view)}?tab=history`),
  casePage('60 tasks, tab of workflows', (view) => `${busy(view)}?tab=workflow`),
  {
    name: 'case: 60 tasks, tab of ledgers with payments',
    viewer: 'administrator',
    needs: 'payments',
    budgetMilliseconds: CASE,
    view: (view) => view.reader.get(`${busy(view)}?tab=ledger`, 'Visa'),
  },
  casePage('a bankruptcy', ({ n, shown }) => `/case/bankruptcy/${nth(shown.bankruptcies, n)}`),
  casePage('10,000 tasks', ({ shown }) => `/case/foreclosure/${shown.large}`),
  casePage('open, of the large firm', ofLargeFirm),
  casePage('open, of the large firm', ofLargeFirm, 'large firm'),
  casePage('open, of the small firm', ofSmallFirm),
  casePage('open, of the small firm', ofSmallFirm, 'small firm'),
  {
    name: 'next item: skip one, take and show the next',
    budgetMilliseconds: NEXT_ITEM,
    prepare: takeItem,
    view: async ({ reader, prepared }) =>
      reader.get(await reader.post('/work', { Do: 'skip', ID: prepared, SkipDate: tomorrow() }), 'name="Do"'),
  },
  page('work list', '/work?list=queue'),
  palette('beginning of a case number', caseNumber),
  palette('beginning of a borrower', borrower),
  palette('a misspelled name', wrongName),
  palette('two words of an address', address),
  palette('beginning of a case number', caseNumber, 'large firm'),
  palette('beginning of a borrower', borrower, 'large firm'),
  palette('a misspelled name', wrongName, 'large firm'),
  palette('two words of an address', address, 'large firm'),
  palette('beginning of a borrower', borrower, 'small firm'),
  page('home', '/'),
  page('home', '/', 'lead'),
  page('team', '/team', 'lead'),
  inboxPage('the inbox of a team', ''),
  inboxPage('unread mail of a team', '&show=Unread'),
  inboxPage('sent mail of a team', '&show=Sent'),
  inboxPage('the inbox of a team, nearly all read', '', 'lead'),
  inboxPage('unread mail of a team, nearly all read', '&show=Unread', 'lead'),
  page('notifications', '/notifications'),
  page('search: a common surname', '/search?Text=Smith'),
  {
    name: 'search: a misspelled name',
    budgetMilliseconds: LIST,
    view: (view) => view.reader.get(`/search?Text=${wrongName(view)}`, '<main'),
  },
  queuePage('queues', '/administration/queues', 'id="dead-letters"'),
  queuePage('waiting calls', '/administration/queues?State=created', 'id="dead-letters"'),
  queuePage(
    'calls of a cause without matches',
    '/administration/queues/cause?Operation=loan%2Fupdate&Cause=none',
    '<main',
  ),
  queuePage('health', '/administration/health', 'id="checks"'),
  configurationPage('where a task type is used', ({ shown }) => `/configure/uses/importformtemplate/${shown.taskType}`),
  configurationPage('changes of a week', () => '/configure/changes'),
];

/** Takes an item, and returns its ID. */
async function takeItem({ reader }: View): Promise<string> {
  const address = await reader.post('/work', { Do: 'next' });
  return new URL(address, 'http://localhost').searchParams.get('item') ?? '';
}

function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString();
}
