import type { HtmlValue, Markup } from '../../../kernel/render/markup.ts';
import { html } from '../../../kernel/render/markup.ts';
import type { AssetName } from '../assets/entries.ts';
import { tabs } from '../design/tabs.ts';
import { toast } from '../design/toast.ts';
import { administrationPages } from '../layout.ts';
import type { PageCall, ShownPage } from '../page-call.ts';
import type { Crumb } from '../shell/top-bar.ts';

/** A page for administrators. */
export interface AdministrationParts {
  readonly title: string;
  /** The address of its tab. */
  readonly path: string;
  /** The way from its tab, for a page below it. */
  readonly below?: readonly Crumb[];
  readonly heading?: HtmlValue;
  /** One sentence below the title. */
  readonly intro?: HtmlValue;
  readonly actions?: HtmlValue;
  readonly body: Markup;
  readonly status?: number | undefined;
  /** What was just done, for a moment. */
  readonly done?: string | undefined;
  /** The same, with a way back. */
  readonly toasts?: readonly Markup[];
  /** Scripts of the page besides the shell's. */
  readonly entries?: readonly AssetName[];
}

/** Returns a page for administrators, below the tabs of all those that the user may open. */
export function administrationAnswer(call: PageCall, parts: AdministrationParts): ShownPage {
  const {
    title,
    path,
    below = [],
    heading = title,
    intro,
    actions,
    body,
    status = 200,
    done,
    toasts = [],
    entries = [],
  } = parts;
  const tab = administrationPages.find((each) => each.path === path);
  const start: readonly Crumb[] = [{ text: 'Administration', href: '/administration' }];
  const here: Crumb = below.length > 0 ? { text: tab?.name ?? title, href: path } : { text: tab?.name ?? title };
  return {
    title,
    place: 'admin',
    crumbs: path === '/administration' ? [{ text: 'Administration' }] : [...start, here, ...below],
    status,
    toasts: done === undefined ? toasts : [toast({ text: done }), ...toasts],
    entries,
    body: html`<div class="page wide">
${tabBar(call, path)}
<header class="page-head"><h1>${heading}</h1>
${actions !== undefined && html`<div class="row">${actions}</div>`}</header>
${intro !== undefined && html`<p class="soft">${intro}</p>`}
${body}
</div>`,
  };
}

function tabBar(call: PageCall, path: string): Markup {
  const shown = administrationPages.filter(({ needs }) => call.may(needs));
  return tabs('Administration', [
    { href: '/administration', text: 'Overview', isCurrent: path === '/administration' },
    ...shown.map((each) => ({ href: each.path, text: each.name, isCurrent: each.path === path })),
  ]);
}
