import { readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeAttribute } from '../../kernel/xml/element.ts';

/** The stylesheet of all pages. */
export const stylesheet = readFileSync(new URL('style.css', import.meta.url), 'utf8');

/** Markup that is safe as it stands; values come into it through {@link html} alone, which escapes them. */
export interface Html {
  readonly markup: string;
}

/** Markup with values in it: text is escaped, markup and lists of markup are put in as they are. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return { markup: parts.reduce((all, part, at) => all + inserted(values[at - 1] ?? '') + part) };
}

function inserted(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string') return escapeAttribute(value);
  return 'markup' in value ? value.markup : value.map((each) => each.markup).join('\n');
}

/** Sends a page. Nothing runs in it and nothing is loaded but the stylesheet, whatever may come to stand in it. */
export function sendPage(reply: FastifyReply, title: string, body: Html): void {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">Casewright</a></header>
<main>
${body}
</main>
<footer><p>Casewright keeps cases, and who changed what in them.</p></footer>
</body>
</html>
`;
  void reply
    .code(200)
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    })
    .send(page.markup);
}

/** A command to be typed; it can be scrolled with the keyboard where it is wider than the page. */
export function command(label: string, lines: readonly string[]): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${lines.join('\n')}</code></pre>`;
}

/** The address by which the caller reached this server, or a placeholder where what it sent is not a plain one. */
export function addressOf(request: FastifyRequest): string {
  const { host } = request;
  return /^(?:[A-Za-z0-9.-]{1,200}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/.test(host) ? `${request.protocol}://${host}` : 'https://casewright.example';
}
