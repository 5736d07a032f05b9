import type { RecordType } from '../../../kernel/declare/record.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { parseCell } from '../../../lib/decision-tables/cell.ts';
import type { Grid } from '../../../lib/decision-tables/grid.ts';
import type { InputType } from '../../../lib/decision-tables/input-value.ts';
import type { Trial, TriedCell, TriedRow } from '../../../lib/decision-tables/tried-row.ts';
import { banner } from '../design/banner.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { derivedType, selectRow } from '../record-address.ts';
import { shownCell } from '../shared/matrix-cell.ts';
import { matrixCrumbs } from './matrix-crumbs.ts';
import { readDraft, type MatrixDraft } from './matrix-draft.ts';
import {
  isComplete,
  readTrial,
  refusedTrial,
  trialForm,
  triedLines,
  trialResult,
  type TrialEntries,
  type TriedLine,
} from '../trial/trial-view.ts';

const wireName = (name: string): string => name.replace(/\s+/g, '');

/** What a trial was asked, and what it found. */
interface TriedInputs {
  readonly record: RecordType;
  readonly entries: TrialEntries;
  readonly outcome: { readonly trial: Trial } | { readonly refusal: PlatformError } | undefined;
  /** The present values of the record, by the outputs that would set them. */
  readonly present: ReadonlyMap<string, string>;
}

/** Tries the values that were entered; without any, nothing is tried. */
export async function tryInputs(call: PageCall, id: number): Promise<TriedInputs> {
  const { answer } = await call.call('matrix/select', { ID: id });
  const { AppliesTo: applied } = answer.row;
  const { registry } = call.platform;
  const record = registry.record(applied ?? '') ?? registry.recordType('Process');
  const entries = await readTrial(call, record);
  const isRuleSet = applied !== null && applied !== '';
  const { values } = entries;
  const objectId = entries.record.id;
  const nothing = { record, entries, outcome: undefined, present: new Map<string, string>() };
  if (!isComplete(entries)) return nothing;
  try {
    const from = objectId === undefined ? {} : { Object: record.name, ObjectID: objectId };
    const how = isRuleSet && objectId !== undefined ? { UseSummary: answer.row.ApplyUseSummary ?? false } : {};
    const [tried, present] = await Promise.all([
      call.call('matrix/try', { ID: id, ...from, ...how }, values),
      isRuleSet && objectId !== undefined ? presentValues(call, record, objectId) : nothing.present,
    ]);
    return { record, entries, outcome: { trial: tried.answer.row.Trial }, present };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { ...nothing, outcome: { refusal: error.masked() } };
  }
}

/** Returns the values of a record by their names in lower case. */
async function presentValues(call: PageCall, record: RecordType, id: number): Promise<ReadonlyMap<string, string>> {
  const row = await selectRow(call, record, id);
  const concrete = derivedType(call, record, row);
  const full = concrete ? await selectRow(call, concrete, id) : row;
  return new Map(Object.entries(full).map(([name, value]) => [name.toLowerCase(), plainText(value)]));
}

/** Renders the panel in which values are tried: a form, and what decides for them. */
export function trialPanel(call: PageCall, { address, grid }: MatrixDraft, tried: TriedInputs): Markup {
  const { entries, outcome, record } = tried;
  const used = outcome && 'trial' in outcome ? outcome.trial.inputs : {};
  const inputs = grid.columns.flatMap(({ kind, name, type }, at) => {
    if (kind !== 'Input') return [];
    const choices = [...new Set(grid.rows.flatMap((row) => listedValues(row[at] ?? '', type)))].slice(0, OFFERED_MAX);
    const actual = entries.record.id === undefined ? undefined : used[name];
    return [{ label: name, name: wireName(name), choices, actual }];
  });
  return html`<div class="side-head"><h2>Try it</h2></div>
${trialForm(call, { address: `${address}/try`, clear: address, record, inputs, entries })}
${matrixResult(tried, grid)}`;
}

/** Most values of an input that its field offers. */
const OFFERED_MAX = 200;

/** Returns the single values that a cell lists. */
function listedValues(cell: string, type: string | null): string[] {
  if (/[<>"≥≤]|\s[-–]\s|^not\s/i.test(cell)) return [];
  try {
    const parsed = parseCell(cell, (type ?? undefined) as InputType);
    return parsed?.items.every(({ kind }) => kind === 'value') === true
      ? cell.split(/,\s+|,(?!\d{3}\b)/).map((text) => text.trim())
      : [];
  } catch {
    // A cell of a draft that cannot be read.
    return [];
  }
}

function matrixResult({ outcome, present }: TriedInputs, grid: Grid): Markup {
  if (!outcome)
    return trialResult(html`<p class="muted small">Choose a record, or enter values, to see which row decides, and
why.</p>`);
  if ('refusal' in outcome) return refusedTrial(outcome.refusal.message);
  const { winner, alsoMatched, nearMisses, weightMax } = outcome.trial;
  return trialResult(
    html`${winner === null ? noWinner() : winnerCard(winner, { weightMax, present }, grid)}
${winner !== null && triedLines('Why', winner.cells.map(whyLine))}
${alsoMatched.length > 0 && html`<section><h3>Also matched</h3>${alsoMatched.map(alsoLine)}</section>`}
${nearMisses.length > 0 && html`<section><h3>Near misses</h3>${nearMisses.map(missLine)}</section>`}`,
    winner?.number,
  );
}

const noWinner = (): Markup =>
  banner({ tone: 'warn', text: 'No row matches.', more: html`<p>Nothing is decided for these values.</p>` });

const rowLink = (number: number, text: string): Markup => html`<a href="#row-${number}" data-goto><b>${text}</b></a>`;

interface WinnerContext {
  readonly weightMax: number;
  readonly present: ReadonlyMap<string, string>;
}

function winnerCard(
  { number, weight, outputs }: TriedRow,
  { weightMax, present }: WinnerContext,
  { columns }: Grid,
): Markup {
  const shown = outputs.map(({ name, value }) => {
    const column = columns.find((each) => each.kind === 'Output' && each.name === name);
    const now = present.get(wireName(name).toLowerCase());
    const text = shownCell(value, { kind: 'Output', type: column?.type ?? null }).text;
    return html`<dt>${name}</dt><dd>${column?.type === 'Money' && value !== '' && '$'}${text}${
      now !== undefined && html` <span class="soft small">${now === '' ? 'now empty' : `now ${now}`}</span>`
    }</dd>`;
  });
  return html`<div class="trial-winner" role="status"><p class="row">${rowLink(number, `Row ${number} wins`)}<span
 class="end small soft">${weight} of ${weightMax}</span></p>
<dl>${shown}</dl></div>`;
}

function whyLine({ input, reason, outcome, weight }: TriedCell): TriedLine {
  const outcomes = { Matched: 'met', Missed: 'missed', Blank: 'any' } as const;
  return { outcome: outcomes[outcome], name: input, why: reason, end: outcome === 'Blank' ? '0' : `+${weight}` };
}

function alsoLine({ number, weight, cells }: TriedRow): Markup {
  const conditions = cells.filter(({ outcome }) => outcome === 'Matched').map(({ input, cell }) => `${input} ${cell}`);
  return html`<p class="trial-line">${rowLink(number, `Row ${number}`)}<span>${
    conditions.length === 0 ? 'Any values' : conditions.join(', ')
  }. Weight ${weight}.</span></p>`;
}

function missLine({ number, weight, cells }: TriedRow): Markup {
  const missed = cells.find(({ outcome }) => outcome === 'Missed') as TriedCell;
  return html`<p class="trial-line">${rowLink(number, `Row ${number}`)}<span>${missed.input} ${
    missed.reason
  }. Would score ${weight}.</span></p>`;
}

/** Shows a trial alone: for browsers without script, phones, and the script of the editor. */
export const trialPage = page(async (call) => {
  const draft = await readDraft(call);
  const tried = await tryInputs(call, draft.id);
  return {
    title: `Try ${draft.name}`,
    place: 'configure',
    crumbs: matrixCrumbs(draft, 'Try it'),
    body: html`<div class="page narrow"><h1>Try ${draft.name}</h1><div
class="card">${trialPanel(call, draft, tried)}</div></div>`,
  };
});
