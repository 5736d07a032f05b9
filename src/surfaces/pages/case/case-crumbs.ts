import type { RecordType } from '../../../kernel/declare/record.ts';
import { html } from '../../../kernel/render/markup.ts';
import type { PlaceName } from '../shell/places.ts';
import type { Crumb } from '../shell/top-bar.ts';

/** Returns the place of a page below a record: a workflow can run on any. */
export function placeOfCase({ root }: RecordType): PlaceName {
  return root.name === 'Process' ? 'cases' : 'records';
}

/** Returns the way to a page below a case. */
export function caseCrumbs(
  record: RecordType,
  { href, name }: { readonly href: string; readonly name: string },
): readonly Crumb[] {
  const list =
    placeOfCase(record) === 'cases'
      ? { text: 'Cases', href: '/cases' }
      : { text: record.titlePlural, href: `/records/${record.module}` };
  return [list, { text: html`<bdi>${name}</bdi>`, href }];
}
