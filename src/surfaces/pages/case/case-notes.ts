import type { HtmlValue, Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';

/** Renders what was just done. */
export function statusNote(text: HtmlValue, more?: HtmlValue): Markup {
  return banner({ tone: 'ok', role: 'status', text, more });
}

/** Renders why something was not done. */
export function alertNote(text: HtmlValue, more?: HtmlValue): Markup {
  return banner({ tone: 'warn', role: 'alert', text, more });
}
