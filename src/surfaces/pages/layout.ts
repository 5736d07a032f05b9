import { CSRF_PARAMETER } from '../shared/csrf.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { hiddenField } from './components.ts';
import type { OperationName } from '../../kernel/declare/catalog.ts';
import type { PageCall } from './page-call.ts';

/** A page's content. Without a call the page is for people who are not signed in. */
export interface LayoutParts {
  readonly title: string;
  readonly body: Markup;
  /** Whether the body takes the whole width, as tables and records do. */
  readonly wide?: boolean;
  readonly scripts?: readonly string[];
  readonly call?: PageCall | undefined;
}

/** A page for administrators, offered to users who may call the operation that it `needs`. */
export interface AdministrationPage {
  readonly path: string;
  readonly name: string;
  readonly needs: OperationName;
  readonly doc: string;
}

/** The pages for administrators, in the order in which they are listed. */
export const administrationPages: readonly AdministrationPage[] = [
  {
    path: '/administration/users',
    name: 'Users',
    needs: 'person/save',
    doc: 'Add users, assign roles and create API keys.',
  },
  { path: '/records/role', name: 'Roles', needs: 'role/save', doc: 'See and change the permissions of each role.' },
  {
    path: '/administration/keys',
    name: 'API keys',
    needs: 'apikey/search',
    doc: 'See and revoke the keys that programs use.',
  },
  {
    path: '/administration/sessions',
    name: 'Sessions',
    needs: 'session/search',
    doc: 'See who is signed in, and end sessions.',
  },
  {
    path: '/administration/settings',
    name: 'Settings',
    needs: 'setting/search',
    doc: 'Change how this installation behaves.',
  },
  {
    path: '/administration/queues',
    name: 'Queues',
    needs: 'queue/queues',
    doc: 'See waiting, running and failed messages; stop, start and limit queues.',
  },
  {
    path: '/administration/indexes',
    name: 'Indexes',
    needs: 'system/indexes',
    doc: 'See slow searches and add indexes for them.',
  },
  {
    path: '/administration/security',
    name: 'Security log',
    needs: 'securitylog/search',
    doc: 'See sign-ins, failed sign-ins and changes of access.',
  },
  {
    path: '/administration/health',
    name: 'Health',
    needs: 'system/health',
    doc: 'Check the database, queues and files, and see recent errors.',
  },
];

/** Renders a whole page. */
export function layout({ title, body, wide, scripts = [], call }: LayoutParts): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Casewright</title>
<link rel="stylesheet" href="/style.css">
${['/page.js', ...scripts].map((script) => html`<script src="${script}" defer></script>`)}
</head>
<body${wide === true && html` class="broad"`}>
<a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="/">Casewright</a>${call && navigation(call)}</header>
<main id="main" tabindex="-1">
${body}
</main>
</body>
</html>
`;
}

function navigation(call: PageCall): Markup {
  const administers = administrationPages.some(({ needs }) => call.may(needs));
  return html`
<form class="find" role="search" action="/search" method="get">
<label class="hidden" for="find">Search</label>
<input id="find" name="Text" type="search" placeholder="Search" autocomplete="off" accesskey="/" aria-keyshortcuts="/">
<button>Search</button>
</form>
<nav aria-label="Main">
${call.may('smartworklistmember/next') && html`<a href="/work">Work</a>`}
<a href="/records">Records</a>
${call.may('importfile/search') && html`<a href="/imports">Imports</a>`}
${call.user.universal && call.may('loan/waiting') && html`<a href="/assignments">Assignments</a>`}
<a href="/operations">Operations</a>
${administers && html`<a href="/administration">Administration</a>`}
</nav>
<form class="out" method="post" action="/signout">
${csrfField(call)}
<a href="/account">${call.user.name}</a>
<button class="quiet">Sign out</button>
</form>`;
}

/** Renders the link back to the list of administration pages. */
export function administrationCrumb(): Markup {
  return html`<p class="crumbs"><a href="/administration">Administration</a></p>`;
}

/** Renders the hidden field without which a form is refused. */
export function csrfField({ csrf }: Pick<PageCall, 'csrf'>): Markup {
  return hiddenField(CSRF_PARAMETER, csrf);
}
