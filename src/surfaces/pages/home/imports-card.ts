import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { plural, recentTime } from '../due-words.ts';
import { reasonText } from '../imports/import-display.ts';
import type { PageCall } from '../page-call.ts';

type ImportRow = RowNamed<'ImportFile'>;

/** Imports that the card lists. */
const IMPORTS_MAX = 3;
/** Older failures are in the list of imports only. */
const RECENT_MILLISECONDS = 14 * 86_400_000;
/** Characters of a cause that the card shows. */
const CAUSE_CHARACTERS_MAX = 160;

/** Renders the imports that failed lately, each with its most frequent cause and the way to its rows. */
export async function importsCard(call: PageCall): Promise<Markup | false> {
  if (!call.may('importfile/search') || !call.may('importfile/import')) return false;
  const { answer } = await call.call('importfile/search', {
    SqlFilters: 'Listed,Waiting',
    OrderBy: '-ImportFileID',
    DisplaySize: IMPORTS_MAX + 1,
    RecordCount: 'false',
  });
  const since = call.platform.clock.milliseconds() - RECENT_MILLISECONDS;
  const failed = answer.rows.filter(({ CreatedDate: created }) => Date.parse(created) >= since);
  if (failed.length === 0) return false;
  const shown = failed.slice(0, IMPORTS_MAX);
  const lines = await Promise.all(shown.map((row) => importLine(call, row)));
  const count = failed.length > IMPORTS_MAX ? `${IMPORTS_MAX}+` : String(failed.length);
  return card({
    id: 'failed-imports',
    title: 'Failed imports',
    note: badge(count, 'danger'),
    actions: html`<a class="button quiet" href="/imports">All imports ${icon('chevronRight', 14)}</a>`,
    body: html`<ul class="card-lines">${lines}</ul>`,
  });
}

async function importLine(call: PageCall, row: ImportRow): Promise<Markup> {
  const [saved, failed] = [row.SuccessCount ?? 0, row.ErrorCount ?? 0];
  const rows = failed === 0 ? 'The file was not imported' : `${failed} of ${plural(saved + failed, 'row')} failed`;
  const cause = await causeOf(call, row);
  const path = `/imports/${row.ImportFileID}`;
  return html`<li>
<p class="row"><a class="strong cut" href="${path}"><bdi>${row.ImportFile ?? `Import ${row.ImportFileID}`}</bdi></a>
<span class="end muted small nowrap">${recentTime(call, row.ImportComplete ?? row.CreatedDate)}</span></p>
<p class="small soft">${rows}${cause !== '' && html`: <bdi>${cause}</bdi>`}</p>
<p class="small"><a class="link" href="${path}">${failed > 0 ? `Fix ${plural(failed, 'row')}` : 'See why'}</a></p>
</li>\n`;
}

/** Returns why most of the rows failed, or the file as a whole. */
async function causeOf(call: PageCall, row: ImportRow): Promise<string> {
  const own = row.Message ?? '';
  const { rows } =
    own === '' && call.may('importfile/failures')
      ? (await call.call('importfile/failures', { ID: row.ImportFileID })).answer
      : { rows: [] };
  const text = reasonText(own === '' ? (rows[0]?.Message ?? '') : own);
  return text.length > CAUSE_CHARACTERS_MAX ? `${text.slice(0, CAUSE_CHARACTERS_MAX)}…` : text;
}
