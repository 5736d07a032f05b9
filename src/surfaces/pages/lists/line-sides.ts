import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { PageCall } from '../page-call.ts';

/** Most template lines that a page of a list reads. */
const TEMPLATE_LINES_MAX = 500;

/**
 * Returns whether each ledger line is a debit, by the ID of the line. A line without a side of its own has that of its
 * template line; it is missing from the result if the user may not see that template line.
 */
export async function readLineSides(
  call: PageCall,
  rows: readonly RowNamed<'LedgerItem'>[],
): Promise<ReadonlyMap<number, boolean>> {
  const open = rows.flatMap(({ IsDebit, LedgerTemplateItemID: id }) => (IsDebit === null && id !== null ? [id] : []));
  const templates = await readTemplateSides(call, [...new Set(open)]);
  return new Map(
    rows.flatMap(({ LedgerItemID: id, IsDebit: own, LedgerTemplateItemID: template }) => {
      const isDebit = own ?? (template === null ? false : templates.get(template));
      return isDebit === undefined ? [] : [[id, isDebit] as const];
    }),
  );
}

async function readTemplateSides(call: PageCall, ids: readonly number[]): Promise<ReadonlyMap<number, boolean>> {
  if (ids.length === 0 || !call.may('ledgertemplateitem/search')) return new Map();
  const { answer } = await call.call('ledgertemplateitem/search', {
    ID: ids.join(','),
    SqlColumns: 'LedgerTemplateItemID,IsDebit',
    DisplaySize: TEMPLATE_LINES_MAX,
    RecordCount: 'false',
  });
  return new Map(answer.rows.map(({ LedgerTemplateItemID: id, IsDebit }) => [id, IsDebit === true] as const));
}
