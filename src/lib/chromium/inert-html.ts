import { replaceSpans } from '../markup-spans.ts';

/** Elements that load, run, move or refer to something outside of the document. */
const ACTIVE =
  /<(\/?)(?=(?:meta|base|link|script|iframe|frame|frameset|object|embed|applet|portal|fencedframe|form)(?:[\s/>]|$))/gi;

/** Forbids everything but what is in the document itself. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:";

/**
 * Returns HTML in which no element is active, with a policy that lets it load nothing. Active elements get names that
 * mean nothing to browsers: no parser sees one, however the markup is broken, and text in them stays.
 */
export function inertHtml(html: string): string {
  const inert = replaceSpans(html, /<script\b/, { '<script': /<\/script\s*>/ }, () => '').replace(ACTIVE, '<$1x-');
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">${inert}`;
}

/** The ends of what is no text on the page, by its start. */
const HIDDEN = {
  '<!--': /-->/,
  '<style': /<\/style\s*>/,
  '<script': /<\/script\s*>/,
  '<title': /<\/title\s*>/,
};

/** Whether HTML has any text that people see, judged without its styles. */
export function hasVisibleText(html: string): boolean {
  const shown = replaceSpans(html, /<!--|<(?:style|script|title)\b/, HIDDEN, () => '');
  const text = replaceSpans(shown, /</, { '<': />/ }, () => '').replace(/&[#\w]+;/g, '');
  return /[\p{L}\p{N}]/u.test(text);
}
