import { readFileSync } from 'node:fs';
import type { Stage } from './play-case.ts';

const NAME = 'Title order: vendor and fee';

const DAY = 86_400_000;
/** When the table was published, and when its draft was begun, in days before the present. */
const PUBLISHED_DAYS = 95;
const DRAFT_DAYS = 3;

/**
 * Creates a decision table, and begins a draft of it as an analyst would: a fee that changes, a row that goes, and two
 * ranges that overlap.
 */
export async function createDecisionTable({ cast: { analyst }, clock, until }: Stage): Promise<void> {
  const { rows: known } = await analyst.call('matrix/search', { Matrix: NAME, SqlColumns: 'MatrixID' });
  if (known.length > 0) return;
  const text = readFileSync(new URL('../../../samples/title-orders.csv', import.meta.url), 'utf8');
  await clock.at(until - PUBLISHED_DAYS * DAY, () =>
    analyst.send('matrix/importtable', { Matrix: NAME }, { mime: 'text/csv', text }),
  );
  const { rows } = await analyst.call('matrix/search', { Matrix: NAME, SqlColumns: 'MatrixID' });
  const [{ MatrixID: id } = { MatrixID: 0 }] = rows;
  const { row: draft } = await analyst.call('matrix/draft', { ID: id });
  await clock.at(until - DRAFT_DAYS * DAY, () =>
    analyst.call('matrix/savedraft', {
      ID: id,
      Version: draft.Version,
      Edits: JSON.stringify([
        { kind: 'set', cells: [{ row: 1, column: 5, text: '3875' }] },
        { kind: 'set', cells: [{ row: 6, column: 3, text: '200000 - 500000' }] },
        { kind: 'remove', at: 9, count: 1 },
      ]),
    }),
  );
}
