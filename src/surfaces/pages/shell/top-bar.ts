import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { avatar } from '../design/avatar.ts';
import { buttonLink } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import { menu, menuLine } from '../design/menu.ts';
import { csrfField } from '../layout.ts';
import { bell } from '../notifications/bell.ts';
import type { PageCall } from '../page-call.ts';

/** A step of the way to a page; the last has no address. */
export interface Crumb {
  readonly text: HtmlValue;
  readonly href?: string;
}

/** What the bar shows besides the way here. */
interface TopBarParts {
  /** How many notifications the user has not read. */
  readonly unread: number;
  /** In place of the way here. */
  readonly left?: Markup | undefined;
}

/** Renders the bar at the top: where the user is, the search, and what is theirs. */
export function topBar(call: PageCall, crumbs: readonly Crumb[], { unread, left }: TopBarParts): Markup {
  return html`<header class="top-bar">
${left ?? crumbTrail(crumbs)}
<form class="find" role="search" action="/search" method="get">
${icon('search')}
<label class="hidden" for="find">Search</label>
<input id="find" name="Text" type="search" placeholder="Search cases, loans, people, documents" autocomplete="off"
 aria-keyshortcuts="Control+K /">
${keyHint('Ctrl+K')}
</form>
<div class="tools">
${buttonLink({
  text: 'Keys on this page',
  icon: 'keyboard',
  iconOnly: true,
  kind: 'quiet',
  key: '?',
  href: '/shortcuts',
  attributes: html`data-keys-help`,
})}
${bell(unread)}
${userMenu(call)}
</div>
</header>`;
}

function crumbTrail(crumbs: readonly Crumb[]): Markup {
  const last = crumbs.length - 1;
  const step = ({ text, href }: Crumb, at: number): Markup => {
    const shown =
      href === undefined || at === last
        ? html`<b aria-current="page" class="cut">${text}</b>`
        : html`<a href="${href}">${text}</a>`;
    return html`${at > 0 && icon('chevronRight', 12)}${shown}`;
  };
  return html`<nav class="crumb-trail" aria-label="Breadcrumb">${crumbs.map(step)}</nav>`;
}

function userMenu(call: PageCall): Markup {
  const { user } = call;
  const summary = html`<summary class="button quiet"><span class="hidden">Your menu: </span>${avatar(
    user.name,
    true,
  )}<bdi class="user-name">${user.firstName ?? user.name}</bdi>${icon('chevronDown', 12)}</summary>`;
  return html`<form method="post" action="/signout">${csrfField(call)}${menu(summary, [
    { text: [user.name, ...user.roles].join(', ') },
    menuLine,
    { text: 'Preferences', icon: 'settings', href: '/preferences' },
    { text: 'Your account', icon: 'person', href: '/account' },
    { text: 'First steps', icon: 'info', href: '/welcome' },
    ...(call.may('person/search') ? [{ text: 'All operations', icon: 'robot', href: '/operations' } as const] : []),
    menuLine,
    { text: 'Sign out', icon: 'signOut', name: 'SignOut', value: 'true' },
  ])}</form>`;
}
