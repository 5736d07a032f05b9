import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import type { IconName } from '../design/icons.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { PINS_PATH, pinPath } from './pinned-views.ts';
import { countSidebar, loadSidebar, type SidebarParts } from './sidebar-counts.ts';
import { sidebarPlaces } from './sidebar.ts';

/** Returns the sidebar with numbers as of now, for the script that puts them into the page. */
export const sidebarFragment = page(async (call) => ({
  fragment: sidebarPlaces(call, undefined, await countSidebar(call)),
}));

/** Lists the pinned views with buttons that move and unpin them. */
export const pinnedViewsPage = page(async (call) => {
  const { pins } = await loadSidebar(call);
  const listed = { id: 'pinned', title: 'In the sidebar', note: pins.length, body: pinList(call, pins) };
  return {
    title: 'Pinned views',
    place: 'none',
    body: html`<div class="page narrow"><div class="page-head"><h1>Pinned views</h1></div>
<p class="soft">The sidebar shows them in this order. There, drag them, or press Alt and an arrow.</p>
${pins.length === 0 ? nothingPinned : card(listed)}</div>`,
  };
});

const nothingPinned = emptyState({
  icon: 'pin',
  title: 'No views are pinned.',
  text: 'Open a view of a list and press P: the sidebar then shows it with its number of records.',
  action: html`<a class="button" href="/cases">Open cases</a>`,
});

/** A button beside a pinned view. */
interface PinAction {
  readonly text: string;
  readonly fields: Markup;
  readonly icon: IconName;
}

function pinList(call: PageCall, pins: SidebarParts['pins']): Markup {
  const action = (view: RowNamed<'View'>, { text, fields, icon }: PinAction): Markup =>
    html`<form method="post" action="${PINS_PATH}/${view.ViewID}">${csrfField(call)}${fields}${button({
      text,
      of: view.View ?? '',
      icon,
      iconOnly: true,
      kind: 'quiet',
    })}</form>`;
  const moved = (to: number): Markup => hiddenField('Position', String(to));
  return html`<ul class="pin-list">${pins.map(
    (
      view,
      at,
    ) => html`<li id="pin-${view.ViewID}"><a class="cut" href="${pinPath(call, view)}"><bdi>${view.View}</bdi></a>
<span class="row end">${at > 0 && action(view, { text: 'Move up', fields: moved(at - 1), icon: 'arrowUp' })}
${at < pins.length - 1 && action(view, { text: 'Move down', fields: moved(at + 1), icon: 'arrowDown' })}
${action(view, { text: 'Unpin', fields: hiddenField('Pinned', 'false'), icon: 'close' })}</span></li>\n`,
  )}</ul>`;
}

/** Moves or unpins a view, and shows the list again. */
export const arrangePin = page(async (call) => {
  const [id, position] = [recordIdFromPath(call), plainText(call.form['Position'])];
  const isPinned = plainText(call.form['Pinned']) !== 'false';
  await call.call('view/pin', { ViewID: id, Pinned: isPinned, ...(position === '' ? {} : { Position: position }) });
  return { redirectTo: isPinned ? `${PINS_PATH}#pin-${id}` : PINS_PATH };
});
