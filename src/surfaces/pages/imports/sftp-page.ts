import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge, type Tone } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import type { IconName } from '../design/icons.ts';
import { table } from '../design/table.ts';
import { dayText, today } from '../days.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { shortTime, shortTimeMark } from '../due-words.ts';
import { countWithNoun, fileName, groupedCount, importPath, type ImportRow } from './import-display.ts';
import { statusMark } from './import-words.ts';

/** Days that are shown. */
const DAYS = 7;
/** Imports that are listed. */
const IMPORTS_SHOWN = 50;

type SftpFile = AnswerRowFor<'sftpaccount/files'>;
type SftpDay = AnswerRowFor<'sftpaccount/received'>;

/** Whether a user is offered the page: firms' users, and operators who may see the accounts. */
export function hasSftpPage({ user }: PageCall): boolean {
  return user.universal ? user.permissions.has('SftpAccountSearch') : user.organizationId !== null;
}

/**
 * Shows what was sent by sFTP: what stays in the homes and why, what did not come, the days by firm, and the imports
 * with their results. A firm's user sees their firm's.
 */
export const sftpPage = page(async (call) => {
  if (!hasSftpPage(call)) throw new PlatformError('NOT_FOUND', { message: 'There is no such page.' });
  const [files, days, imports, missing] = await Promise.all([
    call.call('sftpaccount/files', {}).then(({ answer }) => answer.rows),
    call.call('sftpaccount/received', { Days: DAYS }).then(({ answer }) => answer.rows),
    recentImports(call),
    missingFiles(call),
  ]);
  return {
    title: 'Files sent by sFTP',
    place: 'imports',
    crumbs: [{ text: 'Imports', href: '/imports' }, { text: 'sFTP' }],
    body: html`<div class="page wide"><header class="page-head"><h1>Files sent by sFTP</h1></header>
${missing}${homes(call, files)}${call.user.universal && daysCard(call, days)}${importsCard(call, imports)}</div>`,
  };
});

async function recentImports(call: PageCall): Promise<readonly ImportRow[]> {
  const { answer } = await call.call('importfile/search', {
    SftpAccountID: 'not null',
    SqlFilters: 'Listed',
    OrderBy: '-ImportFileID',
    DisplaySize: IMPORTS_SHOWN,
    RecordCount: 'false',
  });
  return answer.rows;
}

/** Renders the files that watches expected and that did not come. */
async function missingFiles(call: PageCall): Promise<Markup | false> {
  if (!call.user.universal || !call.may('fileobject/expected')) return false;
  const { answer } = await call.call('fileobject/expected', {});
  const missing = answer.rows.filter(({ IsMissing: isMissing }) => isMissing);
  if (missing.length === 0) return false;
  return banner({
    tone: 'danger',
    text: `${countWithNoun(missing.length, 'expected file')} did not come.`,
    more: html`<ul>${missing.map(
      ({ Location: location, Path: path, Pattern: pattern, ExpectedBy: by, LastDate: last }) =>
        html`<li>${location}: ${path}, ${pattern}, expected by ${by}. ${
          last === null ? 'None has come yet.' : `The last one came ${shortTime(call, last)}.`
        } Ask the sender to send it; it is taken as soon as it is there.</li>`,
    )}</ul>`,
  });
}

const stateTones: Readonly<Record<string, readonly [Tone, IconName]>> = {
  Receiving: ['neutral', 'import'],
  Waiting: ['neutral', 'queue'],
  Reading: ['accent', 'refresh'],
  'Not imported': ['danger', 'error'],
};

/** What to do about a file that stays, or why it waits. */
function advice({ State: state, Reason: reason }: SftpFile): string {
  switch (state) {
    case 'Receiving':
      return 'It is still being written. It is imported once the sender has closed it.';
    case 'Waiting':
      return 'It is imported in a moment, when it has been unchanged for a while.';
    case 'Reading':
      return 'It is being read. Its import is below once all of it has been received.';
    default:
      return (
        `${reason ?? 'The reason is in the security log.'} It stays in its folder: correct it and send it again, ` +
        'or rename it.'
      );
  }
}

function homes(call: PageCall, files: readonly SftpFile[]): Markup {
  const live = html` data-live="importfile" data-live-mode="quiet"`;
  if (files.length === 0)
    return card({
      id: 'in-homes',
      title: 'Not imported yet',
      attributes: live,
      body: html`<p class="card-body muted">No files are waiting. All that were sent are imported or listed below.</p>`,
    });
  return card({
    id: 'in-homes',
    title: 'Not imported yet',
    attributes: live,
    body: table({
      label: 'Files not imported yet',
      className: 'stacked',
      heads: ['File', call.user.universal && 'Firm', 'State', 'What to do', 'Received'],
      rows: files.map((file) => {
        const [tone, icon] = stateTones[file.State] ?? (['neutral', 'queue'] as const);
        return html`<tr><th scope="row">${file.FileName}</th>
${call.user.universal && html`<td>${file.Organization ?? 'Staff'}</td>`}
<td>${badge(file.State, tone, icon)}</td><td class="reason">${advice(file)}</td>
<td>${shortTimeMark(call, file.ReceivedDate)}</td></tr>\n`;
      }),
    }),
  });
}

/** Renders a table of firms and days: how many files came, and how many of them failed. */
function daysCard(call: PageCall, days: readonly SftpDay[]): Markup | false {
  if (days.length === 0) return false;
  const names = [...new Set(days.map(({ Day: day }) => day))].sort().reverse();
  const firms = new Map(days.map((day) => [day.OrganizationID, day.Organization ?? 'Staff']));
  const cell = (firm: number | null, name: string): Markup => {
    const day = days.find((each) => each.OrganizationID === firm && each.Day === name);
    if (!day) return html`<td class="number muted">0</td>`;
    return html`<td class="number">${groupedCount(day.Files)}${
      day.Failed > 0 && html` <span class="late">${day.Failed} failed</span>`
    }</td>`;
  };
  return card({
    id: 'days',
    title: `The last ${DAYS} days`,
    body: table({
      label: 'Files by firm and day',
      heads: [
        'Firm',
        ...names.map((name) => ({
          text: dayText(name, today(call)),
          isNumber: true,
        })),
      ],
      rows: [...firms].map(
        ([firm, label]) => html`<tr><th scope="row">${label}</th>${names.map((name) => cell(firm, name))}</tr>\n`,
      ),
    }),
  });
}

function importsCard(call: PageCall, imports: readonly ImportRow[]): Markup {
  const none = emptyState({
    title: 'Nothing has been imported by sFTP yet.',
    text: call.user.universal
      ? 'Firms send files with an sFTP account, which names the user and the import type.'
      : 'Upload a file with your sFTP program. It is listed here within a few seconds.',
    icon: 'import',
  });
  const body = table({
    label: 'Imports that came by sFTP, newest first',
    className: 'stacked',
    heads: [
      'File',
      'Status',
      ...['Saved', 'Warnings', 'Failed'].map((text) => ({ text, isNumber: true })),
      'Received',
      'Result',
    ],
    rows: imports.map(
      (row) => html`<tr><th scope="row"><a href="${importPath(row.ImportFileID)}">${fileName(row)}</a></th>
<td>${statusMark(row)}</td><td class="number" data-label="Saved">${groupedCount(row.SuccessCount)}</td>
<td class="number" data-label="Warnings">${groupedCount(row.Warnings)}</td>
<td class="number" data-label="Failed">${groupedCount(row.ErrorCount)}</td>
<td>${shortTimeMark(call, row.CreatedDate)}</td><td>${
        row.ImportComplete !== null && call.may('importfile/results') && resultLink(row)
      }</td></tr>\n`,
    ),
  });
  return card({
    id: 'sftp-imports',
    title: 'Imported',
    attributes: html` data-live="importfile" data-live-mode="quiet"`,
    body: imports.length === 0 ? none : body,
  });
}

function resultLink(row: ImportRow): Markup {
  const name = html`<span class="hidden"> of ${fileName(row)}</span>`;
  return html`<a class="link" href="/api/importfile/results?ID=${row.ImportFileID}&Output=Xml">Result file${name}</a>`;
}
