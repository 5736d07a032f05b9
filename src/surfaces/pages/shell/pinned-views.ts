import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import { sourceOf } from '../lists/list-sources.ts';
import { viewPath } from '../lists/list-state.ts';
import type { PageCall } from '../page-call.ts';
import type { PlaceCount, SidebarParts } from './sidebar-counts.ts';

/** Where pinned views are arranged without dragging them. */
export const PINS_PATH = '/pinned-views';

/** Renders a number beside an entry of the sidebar. */
export function countMark(count: PlaceCount | undefined): Markup | false {
  if (count === undefined || count.text === '') return false;
  const { text, what, tone } = count;
  return html`<span class="count${tone !== undefined && ' late'}">${text}<span class="hidden"> ${what}</span></span>`;
}

/** Renders the pinned views below the places. */
export function pinnedViews(call: PageCall, { pins, viewCounts }: SidebarParts): Markup | false {
  if (pins.length === 0) return false;
  const line = (
    view: RowNamed<'View'>,
  ): Markup => html`<li id="sidebar-pin-${view.ViewID}" data-pin="${view.ViewID}" draggable="true"><a class="place"
 href="${pinPath(call, view)}" title="${view.View}" draggable="false">${icon('filter')}<span class="cut"><bdi>${
   view.View
 }</bdi></span>${countMark(viewCounts.get(view.ViewID))}</a></li>\n`;
  return html`<div class="pins"><h2 id="pins-head">Pinned views</h2>
<a class="pins-arrange" href="${PINS_PATH}" title="Arrange the pinned views">${icon('settings', 14)}<span
 class="hidden">Arrange the pinned views</span></a></div>
<ul aria-labelledby="pins-head" id="pins">${pins.map(line)}</ul>`;
}

/** Returns the address of a view's list. */
export function pinPath(call: PageCall, view: RowNamed<'View'>): string {
  const record = call.platform.registry.requireRecord(view.RecordType, 'RecordType');
  return viewPath(sourceOf(call, record), view);
}
