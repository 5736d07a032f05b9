import type { AnyRow, RowNamed } from '../../../kernel/declare/catalog.ts';
import { isConfiguration, type RecordType } from '../../../kernel/declare/record.ts';
import { recordId } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { caseLink, diagramLink } from '../case/case-link.ts';
import { shortDay } from '../days.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { menu } from '../design/menu.ts';
import { toast } from '../design/toast.ts';
import { recordLink, recordPath } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { assignLink } from '../loans/loan-access.ts';
import { uploadEntries } from '../documents/upload-form.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { columnText, plainText } from '../plain-text.ts';
import { derivedType, recordIdFromPath, recordLabel, recordTypeFromPath, selectRow } from '../record-address.ts';
import { trialPath } from '../trial/trial-page.ts';
import { mailingLinks } from '../mailings/mailing-links.ts';
import { testButton } from '../mailings/mail-house-test.ts';
import { returnedAddress } from '../mailings/returned-address.ts';
import { queueItemsSection } from '../work/queue-items.ts';
import { changeTimeline } from './change-timeline.ts';
import { changeReferences, CHANGES_SHOWN, readChanges, type Change } from './read-changes.ts';
import { readUses, usesCard } from '../configure/uses-page.ts';
import { childCards, childReferences, readChildren, type ChildCollection } from './record-children.ts';
import { recordCrumbs } from './record-crumbs.ts';
import { recordFacts } from './record-facts.ts';

/** Shows one record: its fields, what it refers to, its children and its history. */
export const recordPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const row = await selectRow(call, record, id).catch((error: unknown) => undefinedIfDeleted(call, record, id, error));
  if (!row) return deletedAnswer(call, record, id);
  const derived = derivedType(call, record, row);
  if (derived) return { redirectTo: recordPath(derived.module, id) };
  const [collections, changes, items, uses, notice] = await Promise.all([
    readChildren(call, { record, id }),
    readChanges(call, record, id),
    record.name === 'SmartWorklist' && queueItemsSection(call, id),
    readUses(call, record, id),
    returnedAddress(call, record, row),
  ]);
  const labels = await loadLabels(call, [
    { columns: record.shown.filter(({ field }) => field.kind === 'id'), rows: [row] },
    ...childReferences(collections),
    ...changeReferences(record, changes),
  ]);
  const name = recordLabel(record, row);
  const done = flashMessages.get(plainText(call.query['done']));
  return {
    title: name,
    place: 'records',
    crumbs: recordCrumbs(call, record, { id, name }),
    toasts: done === undefined ? [] : [toast({ text: done })],
    entries: record.parent === undefined ? uploadEntries(call) : [],
    body: recordBody(call, record, row, {
      labels,
      collections,
      changes,
      items,
      uses: usesCard(call, { record, id }, uses),
      notice,
    }),
  };
});

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    saved: 'Saved',
    made: 'Created',
    undone: 'Change undone',
    restored: 'Record restored',
    rolledback: 'Earlier version restored',
    uploaded: 'Document uploaded',
    works: 'The mail house is reachable',
    unchanged: 'No changes to save',
  }),
);

/** Returns undefined if the record was deleted and the user may restore it. @throws the error otherwise */
async function undefinedIfDeleted(call: PageCall, record: RecordType, id: number, error: unknown): Promise<undefined> {
  const mayRestore =
    error instanceof PlatformError &&
    error.code === 'NOT_FOUND' &&
    call.user.universal &&
    call.mayOf(record, 'undelete');
  const changes = mayRestore ? await readChanges(call, record, id, { size: 1 }).catch(() => []) : [];
  if (changes[0]?.Change !== 'delete') throw error;
  return undefined;
}

function deletedAnswer(call: PageCall, record: RecordType, id: number): PageAnswer {
  const path = recordPath(record.module, id);
  const name = `${record.title} ${id}`;
  return {
    title: name,
    place: 'records',
    crumbs: recordCrumbs(call, record, { id, name }),
    status: 404,
    body: html`<div class="page narrow"><div><h1>${name} was deleted</h1>
<p class="soft">Its history is kept, and you can restore it.</p></div>
<form class="row" method="post" action="${path}/undelete">
${csrfField(call)}${button({ text: 'Restore', kind: 'primary' })}
${buttonLink({ text: 'View history', kind: 'quiet', href: `${path}/history` })}
</form></div>`,
  };
}

interface RecordContent {
  readonly labels: Labels;
  readonly collections: readonly ChildCollection[];
  readonly changes: readonly Change[];
  /** Where a record of configuration is used. */
  readonly uses: Markup | false;
  /** What somebody should know before they use the record. */
  readonly notice: Markup | false;
  /** The work items of a queue. */
  readonly items: Markup | false;
}

function recordBody(call: PageCall, record: RecordType, row: AnyRow, content: RecordContent): Markup {
  const { labels, collections, changes, items, uses, notice } = content;
  const id = recordId(record, row);
  const history = historyCard(call, record, { id, changes, labels });
  const facts = recordFacts(call, record, row, labels);
  return html`<div class="page wide record-page">
<header class="page-head">
<div class="grow"><h1><bdi>${recordLabel(record, row)}</bdi> ${badgeOf(row)}</h1>
<p class="soft small">${aboutLine(call, record, row, labels)}</p></div>
<div class="row wrap actions">${actions(call, record, row)}</div>
</header>
${notice}
<div class="record-columns">
<div class="stack">${facts.own}
${items}
${childCards(call, { record, id }, collections, labels)}</div>
<div class="stack">${uses}${history}${facts.about}</div>
</div></div>`;
}

function badgeOf({ Status: status }: AnyRow): Markup | false {
  return typeof status === 'string' && status !== '' && badge(html`<bdi>${status}</bdi>`, 'outline');
}

/** Returns what a record is, what it belongs to, and when it was changed last. */
function aboutLine(call: PageCall, record: RecordType, row: AnyRow, labels: Labels): Markup {
  const { Object: name, ObjectID: id } = row;
  const updated = row['UpdatedDate'];
  const parent =
    typeof name === 'string' &&
    typeof id === 'number' &&
    html` of <bdi class="link">${recordLink(call, name, id, labels.get(name)?.get(id))}</bdi>`;
  const when = typeof updated === 'string' && html` · changed ${shortDay(call, updated)}`;
  return html`${record.title}${parent}${when}`;
}

function historyCard(
  call: PageCall,
  record: RecordType,
  { id, changes, labels }: { readonly id: number; readonly changes: readonly Change[]; readonly labels: Labels },
): Markup | false {
  if (record.history === false || !call.mayOf(record, 'history')) return false;
  const all =
    changes.length >= CHANGES_SHOWN &&
    html`<a class="link small" href="${recordPath(record.module, id)}/history">View all history</a>`;
  return card({
    id: 'history',
    title: 'History',
    actions: all,
    body: html`<div class="card-body">${
      changes.length === 0
        ? emptyState({ icon: 'history', title: 'No changes yet' })
        : changeTimeline(call, { record, id, changes, labels })
    }</div>`,
  });
}

/** Links from a workflow's own page to its diagram. */
function workflowLink(call: PageCall, record: RecordType, row: AnyRow): Markup | false {
  const { Object: name, ObjectID: id } = row;
  if (record.name !== 'Decision' || typeof name !== 'string' || typeof id !== 'number') return false;
  return diagramLink(call, { name, id }, recordId(record, row));
}

function actions(call: PageCall, record: RecordType, row: AnyRow): Markup {
  const id = recordId(record, row);
  const path = recordPath(record.module, id);
  const isEditable = record.history !== false;
  const openTask =
    record.name === 'ImportForm' &&
    call.may('importform/describe') &&
    buttonLink({ text: 'Open task', kind: 'primary', href: `/form/${id}` });
  const openCase = caseLink(call, { name: record.name, id }, 'Open case', 'button primary');
  const isFirst = !openTask && !openCase;
  return html`${isEditable && moreMenu(call, record, id)}
${fileLinks(call, record, row)}
${record.name === 'Loan' && assignLink(call, row)}${testButton(call, record, id)}${mailingLinks(call, record, row)}
${workflowLink(call, record, row)}${tryLink(call, record, id)}
${
  isEditable &&
  call.mayOf(record, 'save') &&
  buttonLink({ text: 'Edit', kind: isFirst ? 'primary' : 'plain', key: 'e', href: `${path}/edit` })
}
${openTask}${openCase}`;
}

/** Links from a rule or a scorecard to its trial. */
function tryLink(call: PageCall, record: RecordType, id: number): Markup | false {
  const may = record.name === 'BusinessRule' ? call.may('businessrule/try') : call.may('scoretemplate/try');
  const href = record.name === 'Matrix' ? undefined : trialPath(record.name, id);
  return may && href !== undefined && buttonLink({ text: 'Try it', icon: 'play', href });
}

/** Renders what is rarely done. */
function moreMenu(call: PageCall, record: RecordType, id: number): Markup | false {
  const path = recordPath(record.module, id);
  const usesPath = `/configure/uses/${record.module}/${id}`;
  const entries = [
    isConfiguration(record) &&
      call.may('configuration/usedin') &&
      ({ text: 'Where it is used', icon: 'link', href: usesPath } as const),
    call.mayOf(record, 'history') && ({ text: 'View all history', icon: 'history', href: `${path}/history` } as const),
    call.mayOf(record, 'asof') && ({ text: 'View earlier version', icon: 'clock', href: `${path}/asof` } as const),
    call.mayOf(record, 'delete') && ({ text: 'Delete…', icon: 'trash', href: `${path}/delete` } as const),
  ].filter((each) => each !== false);
  const summary = html`<summary class="button quiet square" title="More">${icon('more')}
<span class="hidden">More</span></summary>`;
  return entries.length > 0 && menu(summary, entries);
}

/** Renders the links that open and download a document's file. */
function fileLinks(call: PageCall, record: RecordType, row: AnyRow): Markup | false {
  if (
    record.name !== 'Attachment' ||
    typeof row['FileName' satisfies keyof RowNamed<'Attachment'>] !== 'string' ||
    !call.may('attachment/download')
  )
    return false;
  const id = columnText(row, record.idField);
  return html`${buttonLink({ text: 'Open', icon: 'eye', href: `/api/attachment/view/${id}` })}
${buttonLink({ text: 'Download', icon: 'export', href: `/api/attachment/download/${id}` })}`;
}
