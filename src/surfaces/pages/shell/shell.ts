import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { AssetName } from '../assets/assets.ts';
import type { PageCall } from '../page-call.ts';
import type { PlaceName } from './places.ts';
import { sidebar, tabBar } from './sidebar.ts';
import type { SidebarParts } from './sidebar-counts.ts';
import { topBar, type Crumb } from './top-bar.ts';

/** A page inside the console's frame. */
export interface ShellParts {
  readonly title: string;
  readonly body: Markup;
  readonly call: PageCall;
  /** How many notifications the user has not read. */
  readonly unread?: number | undefined;
  /** What the sidebar has besides its places. */
  readonly sidebar?: SidebarParts | undefined;
  /** Which entry of the sidebar is current. */
  readonly place?: PlaceName | undefined;
  /** The way here; by default the title. */
  readonly crumbs?: readonly Crumb[] | undefined;
  /** Names of the page's scripts, besides the shell's. */
  readonly entries?: readonly AssetName[] | undefined;
  /** Whether the page's panes scroll each by itself, and the page does not. */
  readonly hasPanes?: boolean | undefined;
  /** Whether the page has no sidebar. */
  readonly isFocused?: boolean | undefined;
  /** What the top bar has instead of the way here. */
  readonly topLeft?: Markup | undefined;
  /** Words about what was just done. */
  readonly toasts?: readonly Markup[] | undefined;
  /** Returns the address of a script or style sheet. */
  readonly asset: (name: AssetName) => string;
}

/** Renders a page of a user who is signed in. */
export function shell(parts: ShellParts): Markup {
  const { title, body, call, place, crumbs = [{ text: title }], hasPanes = false, toasts = [] } = parts;
  const content = html`<a class="skip" href="#main">Skip to content</a>
${sidebar(call, place, parts.sidebar)}
${topBar(call, crumbs, { unread: parts.unread ?? 0, left: parts.topLeft })}
<main id="main" class="main${hasPanes && ' panes'}" tabindex="-1">
${body}
</main>
${tabBar(call, place)}
<div class="toasts" id="toasts">${toasts}</div>
<p class="hidden" id="announcement" role="status"></p>`;
  const className = parts.isFocused === true ? 'app focused' : 'app';
  return frame({ ...parts, title, content, className, call });
}

/** A page without the console's frame, such as the one for signing in. */
export interface BareParts extends Pick<ShellParts, 'title' | 'body' | 'asset'> {
  readonly entries?: readonly AssetName[] | undefined;
}

/** Renders a page for people who are not signed in. */
export function bareShell(parts: BareParts): Markup {
  const content = html`<a class="skip" href="#main">Skip to content</a>
<main id="main" class="main bare" tabindex="-1">
${parts.body}
</main>`;
  return frame({ ...parts, content, className: 'bare-app' });
}

interface FrameParts {
  readonly title: string;
  readonly content: Markup;
  readonly className: string;
  readonly call?: PageCall;
  readonly entries?: readonly AssetName[] | undefined;
  readonly asset: (name: AssetName) => string;
}

/**
 * Returns what the user has chosen as attributes, so that the page never shows anything else first, and since when the
 * page can miss changes.
 */
function pageState({ preferences, liveSince, user }: PageCall): Markup {
  const { theme, density, sidebar: width, shortcuts } = preferences;
  return html` data-person="${user.personId}"${liveSince !== undefined && html` data-live-since="${liveSince}"`}${
    theme !== 'System' && html` data-theme="${theme.toLowerCase()}"`
  }${
    density !== 'Compact' && html` data-density="${density.toLowerCase()}"`
  }${width === 'Collapsed' && html` data-sidebar="collapsed"`}${!shortcuts && html` data-shortcuts="off"`}`;
}

function frame({ title, content, className, call, entries = [], asset }: FrameParts): Markup {
  const modules = (['shell', ...entries] as const).map(
    (name) => html`<script type="module" src="${asset(name)}"></script>\n`,
  );
  return html`<!doctype html>
<html lang="en"${call && pageState(call)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${call && html`<meta name="csrf-token" content="${call.csrf}">`}
<title>${title} · Casewright</title>
<link rel="stylesheet" href="${asset('console.css')}">
${modules}
</head>
<body class="${className}">
${content}
</body>
</html>
`;
}
