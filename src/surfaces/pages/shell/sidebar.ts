import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import { hasFirstSteps } from '../first-run/welcome-page.ts';
import type { PageCall } from '../page-call.ts';
import { countMark, pinnedViews } from './pinned-views.ts';
import { places, type SidebarPlace, type PlaceName } from './places.ts';
import { liveTopics, noParts, type PlaceCount, type SidebarParts } from './sidebar-counts.ts';

/** Renders the product's mark. */
export const brandMark: Markup = html`<svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
<rect x="1" y="1" width="18" height="18" rx="5"/>
<path class="letter" d="M13.6 7.3a4.2 4.2 0 1 0 0 5.4M10 10h5"/>
</svg>`;

/** Renders the navigation at the left. */
export function sidebar(call: PageCall, current: PlaceName | undefined, parts: SidebarParts = noParts): Markup {
  return html`<nav class="sidebar" aria-label="Main">
<a class="brand" href="/" title="Home">${brandMark}<span>Casewright</span></a>
${sidebarPlaces(call, current, parts)}
<div class="sidebar-foot">
${hasFirstSteps(call) && firstStepsLink}
<button type="button" class="place" data-sidebar data-key="[" aria-pressed="false" title="Collapse the sidebar">${icon(
    'sidebar',
  )}<span>Collapse</span>${keyHint('[')}</button>
</div>
</nav>`;
}

const firstStepsLink = html`<a class="place" href="/welcome" title="First steps">${icon('info')}
<span>First steps</span></a>`;

/** Renders the entries of the sidebar with their numbers, which the page's script keeps up to date. */
export function sidebarPlaces(call: PageCall, current: PlaceName | undefined, parts: SidebarParts): Markup {
  const shown = places.filter(({ isFor }) => isFor(call));
  const state = parts.isFresh ? 'fresh' : 'stale';
  return html`<div class="sidebar-places" data-sidebar-counts="${state}" data-live="${liveTopics(call, parts)}">
<ul>${shown.map((place) => sidebarLink(place, current, parts.counts[place.name]))}</ul>
${pinnedViews(call, parts)}
</div>`;
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

function sidebarLink(
  { name, text, path, icon: of, goKey, key }: SidebarPlace,
  current: PlaceName | undefined,
  count: PlaceCount | undefined,
): Markup {
  const go = goKey !== undefined && html` data-go="${goKey}"`;
  const single = key !== undefined && html` data-key="${key}"`;
  return html`<li><a class="place" href="${path}" title="${text}"${isHere(name, current)}${go}${single}>${icon(of)}
<span>${text}</span>${countMark(count)}</a></li>\n`;
}

function tabLink({ name, text, path, icon: of }: SidebarPlace, current: PlaceName | undefined): Markup {
  return html`<a class="tab" href="${path}"${isHere(name, current)}>${icon(of, 20)}<span>${text}</span></a>\n`;
}

function isHere(name: PlaceName, current: PlaceName | undefined): Markup | false {
  return name === current && html` aria-current="page"`;
}
