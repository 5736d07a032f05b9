import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { parseCell } from '../../../lib/decision-tables/cell.ts';
import type { Grid } from '../../../lib/decision-tables/grid.ts';
import type { InputType } from '../../../lib/decision-tables/input-value.ts';
import type { Trial, TriedCell, TriedRow } from '../../../lib/decision-tables/tried-row.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { recordField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { shownCell } from '../shared/matrix-cell.ts';
import { matrixCrumbs } from './matrix-crumbs.ts';
import { readDraft, type MatrixDraft } from './matrix-draft.ts';

/** Before the name of an input in the address of a trial. */
const INPUT = 'in.';

/** The record type that supplies the inputs of a trial. */
const CASE = 'Process';

const wireName = (name: string): string => name.replace(/\s+/g, '');

/** What a trial was asked, and what it found. */
interface TriedInputs {
  /** The values that were entered, by the wire names of inputs. */
  readonly entered: Readonly<Record<string, string>>;
  readonly caseId: string;
  readonly outcome: { readonly trial: Trial } | { readonly refusal: PlatformError } | undefined;
}

/** Tries the inputs in the address; without any, nothing is tried. */
export async function tryInputs(call: PageCall, id: number): Promise<TriedInputs> {
  const entered = Object.fromEntries(
    Object.entries(call.query).flatMap(([name, value]) =>
      name.startsWith(INPUT) && plainText(value) !== '' ? [[name.slice(INPUT.length), plainText(value)]] : [],
    ),
  );
  const caseId = plainText(call.query['case']);
  if (Object.keys(entered).length === 0 && caseId === '') return { entered, caseId, outcome: undefined };
  try {
    const from = caseId === '' ? {} : { Object: CASE, ObjectID: caseId };
    const { answer } = await call.call('matrix/try', { ID: id, ...from }, entered);
    return { entered, caseId, outcome: { trial: answer.row.Trial } };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { entered, caseId, outcome: { refusal: error.masked() } };
  }
}

/** Renders the panel in which inputs are tried: a form, and what decides for them. */
export function trialPanel({ address, grid }: MatrixDraft, tried: TriedInputs): Markup {
  return html`<div class="side-head"><h2>Try it</h2></div>
<form class="trial-form" id="trial-form" method="get" action="${address}/try" autocomplete="off">
${grid.columns.map((column, at) => column.kind === 'Input' && trialField(grid, at, tried))}
${caseField(tried)}
<p class="row">${button({ text: 'Try', icon: 'play' })}<a class="link small" href="${address}">Clear</a></p>
</form>
${trialResult(tried, grid)}`;
}

const caseField = ({ caseId }: TriedInputs): Markup =>
  recordField({
    label: 'Or use a case',
    name: 'case',
    id: 'trial-case',
    type: CASE,
    value: caseId,
    hint: 'What you enter above counts more.',
  });

/** Most values of an input that its field offers. */
const OFFERED_MAX = 200;

function trialField({ columns, rows }: Grid, at: number, { entered }: TriedInputs): Markup {
  const { name, type } = columns[at] as Grid['columns'][number];
  const wire = wireName(name);
  const value = Object.entries(entered).find(([key]) => key.toLowerCase() === wire.toLowerCase())?.[1] ?? '';
  const listed = [...new Set(rows.flatMap((row) => listedValues(row[at] ?? '', type)))].slice(0, OFFERED_MAX);
  const id = `trial-${at}`;
  return html`<div class="trial-field"><label for="${id}">${name}</label><input class="input" id="${id}"
name="${INPUT}${wire}"
 value="${value}"${listed.length > 0 && html` list="${id}-values"`}>${
   listed.length > 0 &&
   html`<datalist id="${id}-values">${listed.map((text) => html`<option value="${text}"></option>`)}</datalist>`
 }</div>`;
}

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

/** Renders what decides. A script replaces it while inputs are changed. */
function trialResult({ outcome }: TriedInputs, grid: Grid): Markup {
  if (!outcome)
    return html`<div id="trial" class="trial"><p class="muted small">Enter values to see which row decides, and
why.</p></div>`;
  if ('refusal' in outcome)
    return html`<div id="trial"
class="trial">${banner({ tone: 'danger', text: outcome.refusal.message, role: 'status' })}</div>`;
  const { winner, alsoMatched, nearMisses, weightMax } = outcome.trial;
  return html`<div id="trial" class="trial"${winner !== null && html` data-winner="${winner.number}"`}>
${winner === null ? noWinner() : winnerCard(winner, weightMax, grid)}
${winner !== null && whyTable(winner)}
${alsoMatched.length > 0 && html`<section><h3>Also matched</h3>${alsoMatched.map(alsoLine)}</section>`}
${nearMisses.length > 0 && html`<section><h3>Near misses</h3>${nearMisses.map(missLine)}</section>`}
</div>`;
}

const noWinner = (): Markup =>
  banner({ tone: 'warn', text: 'No row matches.', more: html`<p>Nothing is decided for these values.</p>` });

const rowLink = (number: number, text: string): Markup => html`<a href="#row-${number}" data-goto><b>${text}</b></a>`;

function winnerCard({ number, weight, outputs }: TriedRow, weightMax: number, { columns }: Grid): Markup {
  const shown = outputs.map(({ name, value }) => {
    const column = columns.find((each) => each.kind === 'Output' && each.name === name);
    const text = shownCell(value, { kind: 'Output', type: column?.type ?? null }).text;
    return html`<dt>${name}</dt><dd>${column?.type === 'Money' && value !== '' && '$'}${text}</dd>`;
  });
  return html`<div class="trial-winner" role="status"><p class="row">${rowLink(number, `Row ${number} wins`)}<span
 class="end small soft">${weight} of ${weightMax}</span></p>
<dl>${shown}</dl></div>`;
}

function whyTable({ cells }: TriedRow): Markup {
  const rows = cells.map(
    ({ input, reason, outcome, weight }) =>
      html`<tr${outcome === 'Blank' && html` class="muted"`}><td>${
        outcome === 'Matched' && icon('check', 14)
      }</td><th scope="row">${input}</th><td>${reason}</td><td class="number">${
        outcome === 'Blank' ? '0' : `+${weight}`
      }</td></tr>`,
  );
  return html`<section><h3>Why</h3><table><tbody>${rows}</tbody></table></section>`;
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
class="card">${trialPanel(draft, tried)}</div></div>`,
  };
});
