import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { buttonLink } from '../design/button.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page, type Page } from '../page.ts';
import type { Crumb } from '../shell/top-bar.ts';

/** A question before something is done to what is edited. */
export interface Question {
  readonly title: string;
  readonly body: HtmlValue;
  /** The button that does it; absent where it cannot be done. */
  readonly action?: Markup | undefined;
}

/** What an editor's question is about. */
export interface QuestionSubject {
  readonly crumbs: readonly Crumb[];
  /** The version of the draft, which the form sends back. */
  readonly version: number;
  /** The way back. */
  readonly back: { readonly text: string; readonly href: string };
}

/** Renders a page with one question, its form and a way back. */
export function questionPage(
  call: PageCall,
  { crumbs, version, back }: QuestionSubject,
  { title, body, action }: Question,
  refusal?: PlatformError,
): PageAnswer {
  const error = refusal && banner({ tone: 'danger', text: refusal.message, role: 'alert' });
  return {
    title,
    place: 'configure',
    crumbs,
    status: refusal?.status ?? 200,
    body: html`<div class="page narrow"><h1>${title}</h1>${error}
<form method="post" class="stack">${csrfField(call)}<input type="hidden" name="Version" value="${version}">
${body}
<p class="row">${action}${buttonLink(back)}</p></form></div>`,
  };
}

/** Does something, and goes where `act` says; a refusal shows the question again. */
export function answerQuestion(
  ask: (call: PageCall, refusal?: PlatformError) => Promise<PageAnswer>,
  act: (call: PageCall) => Promise<string>,
): Page {
  return page(async (call) => {
    try {
      return { redirectTo: await act(call) };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      return ask(call, error.masked());
    }
  });
}
