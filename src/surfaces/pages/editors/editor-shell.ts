import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { icon } from '../design/icons.ts';

/** A problem of what is edited. */
export interface EditorProblem {
  readonly severity: 'error' | 'warning' | 'accepted';
  /** Problems of one kind are folded if there are many. */
  readonly kind?: string;
  /** In a few words: "Rows 7 and 8 tie". */
  readonly title: HtmlValue;
  readonly text: HtmlValue;
  /** The address or fragment of the place that it is about. */
  readonly href?: string | undefined;
  /** A fix, or a way to accept it. */
  readonly action?: Markup | false;
}

/** How the draft can be published. */
export interface EditorPublishing {
  /** The address of the page that asks before it is published. */
  readonly href: string;
  /** Why it cannot be published now, and where the reason is. */
  readonly refusal?: { readonly text: string; readonly href: string } | undefined;
}

/** A page that edits one piece of configuration: a matrix, a layout, a workflow. */
export interface EditorParts {
  readonly title: HtmlValue;
  /** The menu of the draft and earlier versions. */
  readonly versions: Markup;
  /** What the draft changes: a switch and counts. */
  readonly changes?: Markup | false;
  /** At the end of the head: where it is used, export. */
  readonly tools?: HtmlValue;
  /** Absent for users who may only look. */
  readonly publishing?: EditorPublishing | undefined;
  /** What is edited. It fills the middle. */
  readonly body: Markup;
  /** The panel at the right: a trial, or the properties of what is chosen. */
  readonly side?: Markup | false;
  /** The panel at the bottom: see {@link problemPanel}. */
  readonly problems: Markup;
}

/** Renders the frame of an editor: head, what is edited, a panel at the side, and problems at the bottom. */
export function editorShell(parts: EditorParts): Markup {
  const { title, versions, changes = false, tools, publishing, body, side = false, problems } = parts;
  return html`<header class="editor-head">
<h1 class="cut">${title}</h1>
${versions}
<div class="editor-changes">${changes}</div>
<div class="editor-tools"><span class="editor-saved small muted" id="saved" role="status"></span>${tools}
<span id="publishing" class="row">${publishing && publishButton(publishing)}</span></div>
</header>
<div class="editor">
<div class="editor-main">${body}
${problems}</div>
${side !== false && html`<aside class="editor-side scroll" id="side" tabindex="-1">${side}</aside>`}
</div>`;
}

/** Renders the button that publishes; where it is off, with a link to the reason. */
export function publishButton({ href, refusal }: EditorPublishing): Markup {
  if (!refusal) return html`<a class="button primary" href="${href}"><span>Publish…</span></a>`;
  return html`<a class="link small" href="${refusal.href}" data-goto>${refusal.text}</a>${button({
    text: 'Publish…',
    disabledReason: refusal.text,
  })}`;
}

/** Renders how many rows a draft adds, changes and removes. */
export function changeCounts(counts: Readonly<Record<'added' | 'changed' | 'removed', number>>): Markup {
  return html`<span class="change-counts small" id="change-counts">${[
    changeCount('added', '+', counts.added),
    changeCount('changed', '±', counts.changed),
    changeCount('removed', '−', counts.removed),
  ]}</span>`;
}

function changeCount(kind: 'added' | 'changed' | 'removed', sign: string, count: number): Markup {
  return html`<span><span class="change-mark ${kind}" aria-hidden="true">${sign}</span> ${count} ${kind}</span>`;
}

/** How many warnings of one kind are shown before the others are folded. */
const SHOWN_OF_A_KIND = 2;

/** Problems by kind, as the head of the panel counts them. */
export interface ProblemCounts {
  readonly text: string;
  readonly severity: 'error' | 'warning';
}

/** Renders the problems of what is edited. `note`: what was checked, and when. */
export function problemPanel(
  problems: readonly EditorProblem[],
  counts: readonly ProblemCounts[],
  note: HtmlValue,
): Markup {
  // Warnings of one kind are often alike: some of each are enough to begin with.
  const seen = new Map<string, number>();
  const isFirst = ({ severity, kind = '' }: EditorProblem): boolean => {
    const number = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, number);
    return severity === 'error' || (severity === 'warning' && number <= SHOWN_OF_A_KIND);
  };
  const groups = Object.groupBy(problems, (problem) => (isFirst(problem) ? 'first' : 'more'));
  const { first = [], more = [] } = groups;
  const shown = counts.map(({ text, severity }) => badge(text, severity === 'error' ? 'danger' : 'warn'));
  return html`<section class="editor-problems scroll" id="problems" aria-labelledby="problems-title" tabindex="0">
<header><h2 id="problems-title">Checks</h2>${counts.length > 0 ? shown : badge('No problems', 'ok', 'check')}
<span class="end muted small">${note}</span></header>
${problems.length > 0 && html`<ul>${first.map(problemLine)}</ul>`}
${
  more.length > 0 &&
  html`<details id="more-problems"><summary>${more.length} more</summary><ul>${more.map(problemLine)}</ul></details>`
}
</section>`;
}

const signs = { error: 'error', warning: 'warning', accepted: 'check' } as const;

function problemLine({ severity, title, text, href, action = false }: EditorProblem): Markup {
  const name = href === undefined ? html`<b>${title}</b>` : html`<a href="${href}" data-goto><b>${title}</b></a>`;
  return html`<li class="${severity}">${icon(signs[severity])}<span class="grow">${name} ${text}</span>${action}</li>`;
}
