import { html } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import type { ListSource } from './list-sources.ts';

/** The action of the bar that exports the ticked rows. Unlike the others it changes nothing. */
export const EXPORT_TICKED = 'export';

/** The button of the bar that exports the ticked rows. */
export const exportTickedButton = html`<button class="bulk-button" name="Action" value="${EXPORT_TICKED}"
 data-bulk-key="l">${icon('export')}<span>Export</span>${keyHint('l')}</button>
`;

/** The rows that are ticked. `isAll`: all that the list's filters find. */
interface TickedRows {
  readonly source: ListSource;
  readonly ids: readonly string[];
  readonly isAll: boolean;
  readonly filters: string;
}

/**
 * Returns the address of a workbook with the ticked rows. `query`: the columns and the order of the list, as its form
 * has sent them.
 */
export function exportTickedPath({ source: { record }, ids, isAll, filters }: TickedRows, query: string): string {
  const sent = new URLSearchParams(query);
  const address = new URLSearchParams({
    RecordType: record.name,
    Filters: isAll ? filters : new URLSearchParams({ [record.idField]: ids.join(',') }).toString(),
    Columns: sent.get('Columns') ?? '',
    OrderBy: sent.get('OrderBy') ?? '',
  });
  return `/api/view/exportworkbook?${address.toString()}`;
}
