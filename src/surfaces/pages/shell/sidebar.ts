import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import type { PageCall } from '../page-call.ts';
import { places, type SidebarPlace, type PlaceName } from './places.ts';

/** Renders the product's mark. */
export const brandMark: Markup = html`<svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
<rect x="1" y="1" width="18" height="18" rx="5"/>
<path class="letter" d="M13.6 7.3a4.2 4.2 0 1 0 0 5.4M10 10h5"/>
</svg>`;

/** Renders the navigation at the left. */
export function sidebar(call: PageCall, current: PlaceName | undefined): Markup {
  const shown = places.filter(({ isFor }) => isFor(call));
  return html`<nav class="sidebar" aria-label="Main">
<a class="brand" href="/" title="Home">${brandMark}<span>Casewright</span></a>
<ul>${shown.map((place) => sidebarLink(place, current))}</ul>
<div class="sidebar-foot">
<button type="button" class="place" data-sidebar data-key="[" aria-pressed="false" title="Collapse the sidebar">${icon(
    'sidebar',
  )}<span>Collapse</span>${keyHint('[')}</button>
</div>
</nav>`;
}

/** Renders the navigation at the bottom of phones: four places, and the rest under More. */
export function tabBar(call: PageCall, current: PlaceName | undefined): Markup {
  const shown = places.filter(({ isFor }) => isFor(call));
  const first = shown.filter(({ isOnPhone = false }) => isOnPhone);
  const others = shown.filter(({ isOnPhone = false }) => !isOnPhone);
  return html`<nav class="tab-bar" aria-label="Main, short">
${first.map((place) => tabLink(place, current))}
<details class="menu"><summary class="tab">${icon('more', 20)}<span>More</span></summary>
<div class="menu-entries">${others.map(
    ({ path, text, icon: name }) => html`<a class="menu-entry" href="${path}">${icon(name)}<span>${text}</span></a>`,
  )}</div></details>
</nav>`;
}

function sidebarLink({ name, text, path, icon: of, goKey, key }: SidebarPlace, current: PlaceName | undefined): Markup {
  const go = goKey !== undefined && html` data-go="${goKey}"`;
  const single = key !== undefined && html` data-key="${key}"`;
  return html`<li><a class="place" href="${path}" title="${text}"${isHere(name, current)}${go}${single}>${icon(of)}
<span>${text}</span></a></li>\n`;
}

function tabLink({ name, text, path, icon: of }: SidebarPlace, current: PlaceName | undefined): Markup {
  return html`<a class="tab" href="${path}"${isHere(name, current)}>${icon(of, 20)}<span>${text}</span></a>\n`;
}

function isHere(name: PlaceName, current: PlaceName | undefined): Markup | false {
  return name === current && html` aria-current="page"`;
}
