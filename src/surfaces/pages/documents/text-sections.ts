import { html, type Markup } from '../../../kernel/render/markup.ts';
import { emptyState } from '../design/empty.ts';
import type { PageCall } from '../page-call.ts';
import type { ViewedDocument } from './viewed-document.ts';

/** Sections of a text that are shown; a section has some thousand characters. */
const SECTIONS_MAX = 40;

/**
 * Renders the text of a document whose pages have no images: mails, office files, texts. Only its words: nothing in the
 * file is carried out, and nothing that it names is loaded.
 */
export async function textSections(call: PageCall, { row, version, hits }: ViewedDocument): Promise<Markup> {
  const id = row.AttachmentID;
  if (version !== undefined)
    return emptyState({ title: 'Earlier versions of this format have no preview.', text: 'Download it to see it.' });
  const status = call.may('attachment/textstatus')
    ? (await call.call('attachment/textstatus', { ID: [String(id)] })).answer.rows[0]
    : undefined;
  if (status?.State === 'Waiting' || status?.State === 'Reading')
    return html`<div id="viewer-text" data-address="/documents/${id}">${emptyState({
      title: 'The text of this document is being read.',
      text: 'It is shown here in a moment. You can download the file now.',
      icon: 'document',
    })}</div>`;
  const count = Math.min(status?.PagesRead ?? 0, SECTIONS_MAX);
  const sections = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      call.call('attachment/pagetext', { ID: id, PageNumber: at + 1 }).then(({ answer }) => answer.row.Body ?? ''),
    ),
  );
  if (sections.every((text) => text.trim() === ''))
    return emptyState({
      title: 'There is no preview of this file.',
      text: status?.Reason ?? 'Download it to see it.',
      icon: 'document',
    });
  const words = new Set(hits.map(({ Words }) => Words.toLowerCase()));
  return html`${sections.map(
    (text, at) => html`<pre class="text-sheet" id="page-${at + 1}" data-page="${at + 1}">${marked(text, words)}</pre>`,
  )}`;
}

/** Marks where a text has the words of hits. */
function marked(text: string, words: ReadonlySet<string>): Markup {
  if (words.size === 0) return html`${text}`;
  const escaped = [...words].map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/ /g, '\\s+'));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  return html`${text.split(pattern).map((part, at) => (at % 2 === 1 ? html`<mark>${part}</mark>` : html`${part}`))}`;
}
