import { CSRF_PARAMETER } from '../shared/browser-session.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import type { PageCall } from './page-call.ts';

/** What every page has around its body. Without a call nobody is signed in. */
export interface LayoutParts {
  readonly title: string;
  readonly body: Markup;
  /** Whether the body takes the whole width: tables and records, as opposed to text. */
  readonly wide?: boolean;
  readonly scripts?: readonly string[];
  readonly call?: PageCall | undefined;
}

/** The administrator's pages: each is offered to who may call the operation behind it. */
export const administrationPages: readonly {
  readonly path: string;
  readonly name: string;
  readonly needs: string;
  readonly doc: string;
}[] = [
  {
    path: '/administration/users',
    name: 'Users',
    needs: 'person/save',
    doc: 'Who may sign in, with which roles and keys.',
  },
  { path: '/records/role', name: 'Roles', needs: 'role/save', doc: 'What roles grant.' },
  {
    path: '/administration/keys',
    name: 'API keys',
    needs: 'apikey/search',
    doc: 'Keys of programs; each can be revoked.',
  },
  {
    path: '/administration/sessions',
    name: 'Sign-ins',
    needs: 'session/search',
    doc: 'Who is signed in at a browser.',
  },
  { path: '/administration/settings', name: 'Settings', needs: 'setting/search', doc: 'How the installation behaves.' },
  {
    path: '/administration/queues',
    name: 'Queues',
    needs: 'queue/queues',
    doc: 'What waits, runs and failed; stop, start and throttle.',
  },
  {
    path: '/administration/security',
    name: 'Security log',
    needs: 'securitylog/search',
    doc: 'What happened to access.',
  },
  {
    path: '/administration/health',
    name: 'Health',
    needs: 'system/health',
    doc: 'How database, queues and files are, and what failed.',
  },
];

/** A whole page. */
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
<a class="skip" href="#main">To the content</a>
<header><a class="brand" href="/">Casewright</a>${call && navigation(call)}</header>
<main id="main" tabindex="-1">
${body}
</main>
<footer><p>Casewright keeps cases, and who changed what in them.</p></footer>
</body>
</html>
`;
}

function navigation(call: PageCall): Markup {
  const administers = administrationPages.some(({ needs }) => call.may(needs));
  return html`<form class="find" role="search" action="/search" method="get"><label class="hidden" for="find">Search all records</label><input id="find" name="Text" type="search" placeholder="Search all records" autocomplete="off" accesskey="s" aria-keyshortcuts="/"><button>Search</button></form>
<nav aria-label="Main">${call.may('smartworklistmember/next') && html`<a href="/work">Work</a>`}<a href="/records">Records</a>${call.may('importfile/search') && html`<a href="/imports">Imports</a>`}<a href="/operations">Operations</a>${administers && html`<a href="/administration">Administration</a>`}</nav>
<form class="out" method="post" action="/signout">${csrfField(call)}<a href="/account">${call.user.name}</a> <button class="quiet">Sign out</button></form>`;
}

/** The hidden field that a form must have to be taken. */
export function csrfField({ csrf }: Pick<PageCall, 'csrf'>): Markup {
  return html`<input type="hidden" name="${CSRF_PARAMETER}" value="${csrf}">`;
}
