import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { historyOf } from '../../../../kernel/records/history/history.ts';
import { pageLayout } from '../pagelayout.record.ts';

/** Most changes of a layout that are read. */
const CHANGES_MAX = 1_000;

/** A published version of a layout. Changes of its name or description are no versions. */
export interface LayoutVersion {
  /** Counts the known versions from 1. */
  readonly number: number;
  readonly publishedDate: string;
  readonly personId: number | null;
  /** Its content as JSON. */
  readonly layout: string;
}

/** Returns the published versions of a layout, the newest first: those that its history knows. */
export async function readVersions(ctx: Context, row: Row<typeof pageLayout>): Promise<readonly LayoutVersion[]> {
  const changes = await historyOf(ctx, pageLayout, row.PageLayoutID, { start: 0, size: CHANGES_MAX });
  const published = changes.filter(({ Change, Field }) => Change === 'update' && Field === 'Layout');
  const first = {
    publishedDate: row.CreatedDate,
    personId: row.CreatedPersonID ?? null,
    layout: published.at(-1)?.OldValue ?? row.Layout,
  };
  const later = published.map(({ At, PersonID, NewValue }) => ({
    publishedDate: At,
    personId: PersonID,
    layout: NewValue ?? row.Layout,
  }));
  return [...later, first].map((version, at, all) => ({ number: all.length - at, ...version }));
}
