import { columnLabel } from '../../../kernel/declare/labels.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { caseLink, casePath, isCaseType } from '../case/case-link.ts';
import { badge } from '../design/badge.ts';
import { card } from '../design/card.ts';
import { icon, type IconName } from '../design/icons.ts';
import { inSentence } from '../display-names.ts';
import { openPath, recordLink } from '../display-values.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { columnText } from '../plain-text.ts';
import { hitKey, type FoundCase, type FoundRow } from './found-cases.ts';
import { marked, searchWords, wordPattern } from './marked.ts';
import { snippetOf } from './snippet.ts';

/** What is known of the hits besides themselves. */
export interface HitContext {
  readonly text: string;
  readonly labels: Labels;
  readonly cases: ReadonlyMap<string, readonly FoundCase[]>;
  /** The found records, by {@link hitKey}. */
  readonly own: ReadonlyMap<string, Row>;
}

const icons: Readonly<Record<string, IconName>> = {
  Foreclosure: 'case',
  Bankruptcy: 'court',
  Contact: 'person',
  Loan: 'loan',
  Property: 'property',
  Organization: 'building',
  Attachment: 'document',
  ImportForm: 'task',
  Message: 'message',
  Person: 'people',
  Decision: 'workflow',
  Matrix: 'matrix',
};

/** Returns where a hit is opened: a case on its page, another record where it is edited or shown. */
export function hitPath(call: PageCall, name: string, id: number): string {
  const record = call.platform.registry.record(name);
  const isCase = record && isCaseType(call.platform.registry, record) && record.root.name === 'Process';
  return isCase && call.may('decision/search') ? casePath(record, id) : openPath(name, id);
}

/** Renders the hits of one record type. */
export function resultGroup(
  call: PageCall,
  name: string,
  rows: readonly FoundRow[],
  { more, ...context }: HitContext & { readonly more: Markup | false },
): Markup {
  return card({
    id: `found-${name.toLowerCase()}`,
    title: call.platform.registry.titlePluralOf(name),
    actions: more,
    body: html`<ul class="hits">${rows.map((row) => hit(call, row, context))}</ul>`,
  });
}

function hit(call: PageCall, row: FoundRow, context: HitContext): Markup {
  const { Object: name, ObjectID: id, Status: status } = row;
  const label = (row.Label ?? '') || `${call.platform.registry.titleOf(name)} ${id}`;
  const cases = context.cases.get(hitKey(row)) ?? [];
  const parts = [
    why(call, row, context),
    parentOf(call, row, context.labels),
    ...cases.map((each) => html`case ${caseOrRecordLink(call, each)}`),
  ].filter((part) => part !== undefined);
  return html`<li class="hit">${icon(icons[name] ?? 'database')}
<div class="grow"><p><a class="hit-link" href="${hitPath(call, name, id)}"><bdi>${marked(label, context.text)}</bdi></a>
${status !== null && status !== '' && badge(html`<bdi>${status}</bdi>`, 'outline')}</p>
${parts.length > 0 && html`<p class="soft small hit-why">${parts.map((part) => html`<span>${part}</span> `)}</p>`}
</div></li>\n`;
}

/** Says why a record was found, unless its label shows it. */
function why(call: PageCall, row: FoundRow, { text, own }: HitContext): Markup | undefined {
  const { Object: name, ObjectID: id, FoundBy: by } = row;
  const record = call.platform.registry.record(name);
  const found = own.get(hitKey(row));
  if (by === 'Label' || !record) return undefined;
  if (by === 'Spelling') return html`Spelled similarly`;
  if (by === 'ID') return html`Number ${id}`;
  if (by === 'SubscriberID') return html`External ID <b><bdi>${text}</bdi></b>`;
  const words = searchWords(text);
  if (by === 'Words' && words.every((word) => wordPattern([word])?.test(row.Label ?? ''))) return undefined;
  if (by !== 'Words') return html`${columnLabel(record, by)} <bdi>${found ? columnText(found, by) : ''}</bdi>`;
  const snippet = found && snippetOf(record, found, text);
  return snippet && html`${snippet.label} <bdi>${marked(snippet.text, text)}</bdi>`;
}

function caseOrRecordLink(call: PageCall, found: FoundCase): Markup {
  return caseLink(call, found, found.label, 'link') || recordLink(call, found.name, found.id, found.label);
}

function parentOf(call: PageCall, { Parent: name, ParentID: id }: FoundRow, labels: Labels): Markup | undefined {
  if (name === null || id === null) return undefined;
  const type = inSentence(call.platform.registry.titleOf(name));
  return html`${type} <bdi>${recordLink(call, name, id, labels.get(name)?.get(id))}</bdi>`;
}
