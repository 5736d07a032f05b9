import { BUSY_EVERY } from './console-rows.ts';
import type { Reader } from './reader.ts';

/** A page of the console, and the time that its server part may take. */
export interface ConsoleFigure {
  readonly name: string;
  /** At most, of the 95th percentile. */
  readonly budgetMilliseconds: number;
  /** Prepares the nth view; not measured. */
  readonly prepare?: (reader: Reader, n: number) => Promise<void>;
  /** The requests of the nth view, one after the other. `rows`: number of cases. */
  readonly view: (reader: Reader, n: number, rows: number) => Promise<unknown>;
}

const LIST_MILLISECONDS = 150;
const CASE_MILLISECONDS = 200;
const NEXT_ITEM_MILLISECONDS = 200;
const PALETTE_MILLISECONDS = 80;

/** Each view shows another case: the nth of those with messages, tasks and contacts, spread over all. */
function busyCase(n: number, rows: number): number {
  return BUSY_EVERY * (1 + ((n * 7919) % Math.floor(rows / BUSY_EVERY)));
}

/** What somebody types, key by key, to find a case by the name of its borrower. */
function typed(n: number): string {
  const name = `family${10_000 + ((n * 7919) % 40_000)}`;
  return name.slice(0, 3 + (n % (name.length - 2)));
}

/** A whole name with one letter left out. */
function misspelled(n: number): string {
  const name = `family${10_000 + ((n * 7919) % 40_000)}`;
  const at = 1 + (n % 5);
  return (name.slice(0, at) + name.slice(at + 1)).replace(/\d/g, '');
}

export const figures: readonly ConsoleFigure[] = [
  {
    name: 'list: open cases, the latest in stage first',
    budgetMilliseconds: LIST_MILLISECONDS,
    view: (reader) => reader.get('/cases?SqlFilters=Open&OrderBy=StageTarget', 'id="row-'),
  },
  {
    name: 'list: late cases, two pages',
    budgetMilliseconds: 2 * LIST_MILLISECONDS,
    view: async (reader) => {
      const first = await reader.get('/cases?SqlFilters=Late&OrderBy=StageTarget', 'id="row-');
      const next = /href="([^"]*)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
      return reader.get(next, 'id="row-');
    },
  },
  {
    name: 'list: cases on hold, by the due date of their next tasks',
    budgetMilliseconds: LIST_MILLISECONDS,
    view: (reader) => reader.get('/cases?Hold=not+null&OrderBy=NextDue', 'id="row-'),
  },
  {
    name: 'list: the beginning of a borrower',
    budgetMilliseconds: LIST_MILLISECONDS,
    view: (reader, n) => reader.get(`/cases?StartsWith=family${10_000 + ((n * 7919) % 40_000)}`, '<main'),
  },
  {
    name: 'list: cases of one status, by ID',
    budgetMilliseconds: LIST_MILLISECONDS,
    view: (reader, n) =>
      reader.get(`/records/foreclosure?Status=${['New', 'Active', 'Closed'][n % 3] ?? ''}&order=-ID`, 'Case '),
  },
  {
    name: 'case page',
    budgetMilliseconds: CASE_MILLISECONDS,
    view: (reader, n, rows) =>
      reader.get(`/records/foreclosure/${busyCase(n, rows)}`, `Notice 1 of case ${busyCase(n, rows)}`),
  },
  {
    name: 'case page: 10,000 tasks',
    budgetMilliseconds: CASE_MILLISECONDS,
    view: (reader) => reader.get('/records/foreclosure/1', 'Case 1'),
  },
  {
    name: 'next item: take it and show it',
    budgetMilliseconds: NEXT_ITEM_MILLISECONDS,
    prepare: finishItem,
    view: async (reader) => reader.get(await reader.post('/work', { Do: 'next' }), 'name="Do" value="complete"'),
  },
  {
    name: 'palette: one key',
    budgetMilliseconds: PALETTE_MILLISECONDS,
    view: (reader, n) => reader.postFor('/palette', { Text: typed(n) }, 'role="option"'),
  },
  {
    name: 'palette: a misspelled name',
    budgetMilliseconds: PALETTE_MILLISECONDS,
    view: (reader, n) => reader.postFor('/palette', { Text: misspelled(n) }, 'role="option"'),
  },
];

/** Completes the item in progress, so that the next one is another. */
async function finishItem(reader: Reader): Promise<void> {
  const page = await reader.get('/work', '<main');
  const id = /name="ID" value="(\d+)"/.exec(page)?.[1];
  if (id !== undefined) await reader.post('/work', { Do: 'complete', ID: id });
}
