import { html, type Markup } from '../../../kernel/render/markup.ts';
import { count } from '../design/badge.ts';
import { card } from '../design/card.ts';
import type { PageCall } from '../page-call.ts';
import { shortTimeMark } from '../due-words.ts';
import { rowsOf } from '../table.ts';
import { countWithNoun, fileName, importPath, reasonText, type ImportRow } from './import-display.ts';
import { stateSentence } from './import-words.ts';

/** Imports that are shown; the list has the others. */
const SHOWN = 5;
/** Days after which a failed import is in the list only. */
const DAYS = 14;

/** Renders the latest imports with failed rows, each with its main reason and the way to fix it; false if none. */
export async function needsYou(call: PageCall): Promise<Markup | false> {
  const since = new Date(call.platform.clock.milliseconds() - DAYS * 86_400_000).toISOString();
  const { answer } = await call.call('importfile/search', {
    SqlFilters: 'Listed,Waiting',
    CreatedDate: `>=${since}`,
    OrderBy: '-ImportFileID',
    DisplaySize: SHOWN,
  });
  const { rows, count: total } = rowsOf(answer);
  if (rows.length === 0) return false;
  const lines = await Promise.all(rows.map((row) => failedImport(call, row)));
  return card({
    id: 'needs-you',
    title: 'Failed imports',
    note: count(total, 'danger'),
    actions: total > rows.length && html`<a class="link" href="/imports?Failed=true">All failed imports</a>`,
    body: html`<ul class="needs-you">${lines}</ul>`,
  });
}

async function failedImport(call: PageCall, row: ImportRow): Promise<Markup> {
  const id = row.ImportFileID;
  const causes = call.may('importfile/failures')
    ? (await call.call('importfile/failures', { ID: id })).answer.rows
    : undefined;
  const [first] = causes ?? [];
  const failed = row.ErrorCount ?? 0;
  const more = (causes?.length ?? 0) - 1;
  const reason =
    first &&
    html`${first.Count > 0 && first.FirstLine !== 0 && `${countWithNoun(first.Count, 'row')} failed: `}${reasonText(
      first.Message,
    )}${more > 0 && ` ${countWithNoun(more, 'other reason')}.`}`;
  return html`<li>
<a class="strong cut" href="${importPath(id)}">${fileName(row)}</a>
<span class="muted small">${shortTimeMark(call, row.ImportComplete ?? row.CreatedDate)}</span>
<p class="soft">${reason ?? stateSentence(row)}</p>
<p class="row small"><a class="link" href="${importPath(id)}">${
    failed > 0 && row.Status !== 'Validation Error' ? `Fix ${countWithNoun(failed, 'row')}` : 'See what is wrong'
  }<span class="hidden"> of ${fileName(row)}</span></a></p>
</li>\n`;
}
