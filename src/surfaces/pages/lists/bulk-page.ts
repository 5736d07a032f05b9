import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { groupDigits } from '../display-values.ts';
import { inSentence } from '../display-names.ts';
import { hiddenField } from '../components.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { recordTypeFromPath } from '../record-address.ts';
import { actionsFor, formOf, type BulkAction } from './bulk-actions.ts';
import { EXPORT_TICKED, exportTickedPath } from './export-ticked.ts';
import { sourceOf, type ListSource } from './list-sources.ts';

/** Records whose refusals are listed. */
const PROBLEMS_SHOWN = 20;

/** The records of a bulk change, as the list's form sends them. */
interface Selection {
  readonly source: ListSource;
  readonly ids: readonly string[];
  /** All records that the list's filters find. */
  readonly isAll: boolean;
  readonly filters: string;
  /** Where the user came from. */
  readonly path: string;
}

/** Asks what an action needs, says what would happen, and starts it. Each step posts to the next. */
export const bulkPage = page(async (call) => {
  const selection = readSelection(call);
  const { source } = selection;
  if (plainText(call.form['Action']) === EXPORT_TICKED)
    return !selection.isAll && selection.ids.length === 0
      ? nothingSelected(selection)
      : { redirectTo: exportTickedPath(selection, plainText(call.form['Export'])) };
  const action = actionsFor(call, source.record).find(({ name }) => name === plainText(call.form['Action']));
  if (!action)
    throw new PlatformError('BAD_PARAMETER', { field: 'Action', message: 'Choose what to do with the selected rows.' });
  if (!selection.isAll && selection.ids.length === 0) return nothingSelected(selection);
  const signature = action.signature(source.record, formOf(call));
  if (signature === undefined || plainText(call.form['Step']) === '') return await askPage(call, selection, action);
  try {
    if (plainText(call.form['Step']) === 'run') return await start(call, selection, action, signature);
    return await checkPage(call, selection, action, signature);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { ...(await askPage(call, selection, action, error.masked())), status: error.status };
  }
});

function readSelection(call: PageCall): Selection {
  const source = sourceOf(call, recordTypeFromPath(call));
  const path = plainText(call.form['Path']);
  return {
    source,
    ids: plainTexts(call.form['ID']).filter((id) => /^\d{1,15}$/.test(id)),
    isAll: plainText(call.form['All']) === 'true',
    filters: plainText(call.form['Filters']),
    // Only back to a list of this server, or to a case's tab of the same records.
    path: path.startsWith(source.path) || path.startsWith('/case/') ? path : source.path,
  };
}

function nothingSelected({ source, path }: Selection): PageAnswer {
  return {
    title: 'Nothing selected',
    place: source.place,
    status: 400,
    body: html`<div class="page narrow"><h1>Nothing is selected</h1>
<p>Tick the rows that you want to change, then choose what to do.</p>
<p><a class="button" href="${path}">Back to the list</a></p></div>`,
  };
}

/** Returns "3 cases", or "all cases of the list". */
function countOf({ source, ids, isAll }: Selection, count?: number): string {
  const n = count ?? ids.length;
  const noun = inSentence(n === 1 ? source.record.title : source.title);
  if (isAll && count === undefined) return `all ${inSentence(source.title)} of the list`;
  return `${groupDigits(String(n))} ${noun}`;
}

function frame(selection: Selection, title: string, body: Markup): Extract<PageAnswer, { title: string }> {
  const { source, path } = selection;
  return {
    title,
    place: source.place,
    crumbs: [{ text: source.title, href: path }, { text: title }],
    body: html`<div class="page narrow bulk-page"><h1>${title}</h1>${body}</div>`,
  };
}

/** Renders what is sent from step to step. */
function carriedFields(call: PageCall, { ids, isAll, filters, path }: Selection, action: BulkAction): Markup {
  return html`${csrfField(call)}${hiddenField('Action', action.name)}${hiddenField('Path', path)}${hiddenField(
    'Filters',
    filters,
  )}${isAll && hiddenField('All', 'true')}${ids.map((id) => hiddenField('ID', id))}`;
}

async function askPage(
  call: PageCall,
  selection: Selection,
  action: BulkAction,
  error?: PlatformError,
): Promise<Extract<PageAnswer, { title: string }>> {
  const { source, path } = selection;
  const title = action.sentence(countOf(selection));
  return frame(
    selection,
    title,
    html`${error && banner({ tone: 'danger', text: error.message, role: 'alert' })}
<form class="form entry" method="post" action="/bulk/${source.record.module}">${carriedFields(call, selection, action)}
${await action.fields(call, source.record)}
<div class="row">${button({ text: 'Check', kind: 'primary', name: 'Step', value: 'check' })}
<a class="button quiet" href="${path}">Cancel</a>
<span class="small muted">Nothing is changed yet.</span></div></form>`,
  );
}

type Tried = AnswerRowFor<'bulkrun/preview'>;

async function checkPage(
  call: PageCall,
  selection: Selection,
  action: BulkAction,
  signature: string,
): Promise<PageAnswer> {
  const { answer } = await call.call('bulkrun/preview', { ...requestOf(selection), Signature: signature });
  const { rows } = answer;
  const count = rows[0]?.Count ?? 0;
  const refused = rows.filter(({ Problem }) => Problem !== null);
  const title = action.sentence(countOf(selection, count));
  const { source, path } = selection;
  const values = Object.entries(call.form).filter(
    ([name]) => !['Action', 'Path', 'Filters', 'All', 'ID', 'Step'].includes(name),
  );
  const canRun = count > 0 && refused.length < count;
  return frame(
    selection,
    title,
    html`${summary(rows, refused, count, action)}
<form class="form" method="post" action="/bulk/${source.record.module}">${carriedFields(call, selection, action)}
${values.map(([name, value]) => hiddenField(name, plainText(value)))}
<div class="row">${canRun && runButton(title)}
<a class="button quiet" href="${path}">Cancel</a></div></form>`,
  );
}

function runButton(text: string): Markup {
  return button({ text, kind: 'primary', name: 'Step', value: 'run', attributes: html`autofocus` });
}

/** Says how many records would be changed, which would not, and why. */
function summary(rows: readonly Tried[], refused: readonly Tried[], count: number, { undo }: BulkAction): Markup {
  const ready = rows.length - refused.length;
  const tried =
    rows.length < count
      ? `The first ${rows.length} of ${groupDigits(String(count))} were tried: ${ready} can be changed.`
      : `${groupDigits(String(ready))} of ${groupDigits(String(count))} can be changed.`;
  const list = refused
    .slice(0, PROBLEMS_SHOWN)
    .map(({ Label, ID, Problem }) => html`<li><b><bdi>${Label ?? `Record ${ID}`}</bdi></b> ${Problem}</li>\n`);
  return html`<p>${tried} Records are changed one by one in the background; you can stop it${
    undo && ', and undo it later'
  }.</p>
${
  refused.length > 0 &&
  card({
    id: 'refused',
    title: refused.length === 1 ? '1 record stays as it is' : `${refused.length} records stay as they are`,
    body: html`<ul class="problems">${list}</ul>${
      refused.length > PROBLEMS_SHOWN && html`<p class="muted small">and ${refused.length - PROBLEMS_SHOWN} more</p>`
    }`,
  })
}`;
}

function requestOf({ source, ids, isAll, filters }: Selection) {
  return { RecordType: source.record.name, ...(isAll ? { Filters: filters } : { ID: ids }) };
}

async function start(call: PageCall, selection: Selection, action: BulkAction, signature: string): Promise<PageAnswer> {
  const { answer } = await call.call('bulkrun/start', {
    ...requestOf(selection),
    BulkRun: action.sentence(countOf(selection)),
    Signature: signature,
    ...(action.undo && { UndoSignature: action.undo(selection.source.record) }),
  });
  return { redirectTo: `/bulk/${String(answer.row.BulkRunID)}?From=${encodeURIComponent(selection.path)}` };
}
