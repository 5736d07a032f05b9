import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { recordPath } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { rowOffset } from '../plain-text.ts';
import { recordIdFromPath, recordTypeFromPath, requirePermission } from '../record-address.ts';
import { changeTimeline, type RuleTrace } from './change-timeline.ts';
import { changeReferences, readChanges } from './read-changes.ts';
import { recordCrumbs, recordName } from './record-crumbs.ts';

/** Changed columns of a page of a history. */
const PAGE_CHANGES = 200;
/** Most rule sets that the history shows: those of the newest calls. */
const TRACES_SHOWN = 1_000;

/** Shows the whole history of a record, one page at a time. */
export const historyPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  requirePermission(call, record, 'history');
  const start = rowOffset(call.query['RecordStart']);
  const changes = await readChanges(call, record, id, { start, size: PAGE_CHANGES });
  const [labels, traces, name] = await Promise.all([
    loadLabels(call, changeReferences(record, changes)),
    readTraces(call, record, id),
    recordName(call, record, id),
  ]);
  const path = recordPath(record.module, id);
  const to = (at: number, text: string): Markup =>
    html`<a class="button" href="${path}/history?RecordStart=${at}">${text}</a>`;
  return {
    title: `History of ${name}`,
    place: 'records',
    crumbs: recordCrumbs(call, record, { id, name }, 'History'),
    body: html`<div class="page">
<header class="page-head"><h1>History of <bdi>${name}</bdi></h1></header>
${card({
  id: 'changes',
  title: 'Changes',
  note: 'Newest first',
  body: html`<div class="card-body">${
    changes.length === 0
      ? emptyState({ icon: 'history', title: start === 0 ? 'No changes yet' : 'No older changes' })
      : changeTimeline(call, { record, id, changes, labels, traces })
  }</div>`,
})}
<nav class="row" aria-label="Pages">${start > 0 && to(Math.max(0, start - PAGE_CHANGES), 'Newer changes')}
${changes.length === PAGE_CHANGES && to(start + PAGE_CHANGES, 'Older changes')}</nav></div>`,
  };
});

/** Reads which rule sets changed a record, by call; none where the user may not see them. */
async function readTraces(
  call: PageCall,
  record: RecordType,
  id: number,
): Promise<ReadonlyMap<string, readonly RuleTrace[]>> {
  if (!call.mayOf(record, 'ruletraces')) return new Map();
  const { answer } = await call.callOf(record, 'ruletraces', { ID: id, DisplaySize: TRACES_SHOWN });
  return Map.groupBy(answer.rows, (trace) => trace.CallID ?? '');
}
