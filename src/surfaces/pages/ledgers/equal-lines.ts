/** Pasted rows that equal lines of the ledger: probably they were added before. */
import { clipboardText } from '../../../lib/decision-tables/clipboard.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { differenceOf } from './money.ts';
import type { NewLine, Paste } from './pasted-lines.ts';

/** Lines of a ledger that are read at once, and most of them that pasted rows are compared with. */
const PAGE_SIZE = 1_000;
export const COMPARED_MAX = 10_000;

/** Pasted rows that equal stored lines. */
export interface EqualLines {
  /** The stored line that a row equals, by the position of the row. */
  readonly lineIds: ReadonlyMap<number, number>;
  /** Whether the ledger has more lines than were compared. */
  readonly isPartial: boolean;
}

/** Returns the rows without errors whose name, side, amount and date equal those of a line of the ledger. */
export async function readEqualLines(call: PageCall, ledgerId: number, { lines }: Paste): Promise<EqualLines> {
  const rows = lines.flatMap(({ at, line, errors }) => (errors.size === 0 ? [{ at, key: lineKey(line) }] : []));
  const stored = new Map<string, number>();
  let count = 0;
  for (let start = 0; rows.length > 0 && start < COMPARED_MAX; start += PAGE_SIZE) {
    const { answer } = await call.call('ledger/lines', {
      ID: ledgerId,
      RecordStart: start,
      DisplaySize: PAGE_SIZE,
    });
    for (const row of answer.rows) stored.set(lineKey(row), row.LedgerItemID);
    count = answer.rows[0]?.LineCount ?? count;
    if (start + PAGE_SIZE >= count) break;
  }
  const lineIds = rows.flatMap(({ at, key }) => {
    const id = stored.get(key);
    return id === undefined ? [] : [[at, id] as const];
  });
  return { lineIds: new Map(lineIds), isPartial: count > COMPARED_MAX };
}

type ComparedLine = {
  readonly [name in Exclude<keyof NewLine, 'Description' | 'kind'>]?: NewLine[name] | null | undefined;
};

/** Returns what equal lines have in common, whatever their letter case and spaces. */
function lineKey({ LedgerItem, AmountMoney, IsDebit, EffectiveDate }: ComparedLine): string {
  const name = (LedgerItem ?? '').trim().replaceAll(/\s+/g, ' ').toLowerCase();
  return JSON.stringify([name, IsDebit === true, differenceOf(AmountMoney ?? null, null), plainText(EffectiveDate)]);
}

/** Returns the pasted text without the rows that equal stored lines. */
export function withoutEqualRows({ rows }: Paste, { lineIds }: EqualLines): string {
  return clipboardText(rows.filter((_cells, at) => !lineIds.has(at)));
}
