import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { selectField, textField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { table } from '../design/table.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { shortTimeMark } from '../due-words.ts';
import { rowsOf } from '../table.ts';
import { administrationAnswer } from './frame.ts';

/** Errors that the page shows. */
const ERRORS_SHOWN = 15;

type Check = AnswerRowFor<'system/health'>;

/** Shows what is wrong with the installation, the gravest first, what to do about it, and recent errors. */
export const healthPage = page((call) => healthAnswer(call));

/** Mutes a finding, or ends its mute. */
export const changeHealth = page(async (call) => {
  const text = (name: string): string => plainText(call.form[name]);
  try {
    if (text('Action') === 'unmute') await call.call('system/unmutehealth', { Health: text('Health') });
    else await call.call('system/mutehealth', { Health: text('Health'), Hours: text('Hours'), Reason: text('Reason') });
    return { redirectTo: '/administration/health' };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return healthAnswer(call, error);
  }
});

async function healthAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const [health, errors] = await Promise.all([call.call('system/health', {}), errorsCard(call)]);
  const { rows } = health.answer;
  const labels = await loadLabels(call, [referencesOf(rows, ['MutePersonID', 'Person'])]);
  const troubled = rows.filter(({ State: state, MutedUntil: muted }) => state !== 'ok' && muted === null).length;
  return administrationAnswer(call, {
    title: 'Health',
    path: '/administration/health',
    status: error?.status,
    intro:
      troubled === 0
        ? 'It works.'
        : `${troubled} of ${rows.length} checks ${troubled === 1 ? 'needs' : 'need'} attention.`,
    actions: buttonLink({ text: 'Check again', href: '/administration/health', icon: 'refresh' }),
    body: html`${error && errorNote(error.masked())}${findingsCard(call, rows, labels)}${card({
      id: 'checks',
      title: 'All checks',
      body: table({
        label: 'Health checks',
        className: 'wrap health-checks',
        heads: ['Check', 'State', 'Details'],
        rows: rows.map(checkRow),
      }),
    })}${errors}`,
  });
}

/** Where each finding is looked into. */
const placesOfChecks: ReadonlyMap<string, readonly [href: string, link: string]> = new Map([
  ['Disk space', ['/administration/settings?Text=Disk', 'Open its settings']],
  ['Queues', ['/administration/queues', 'Open queues']],
  ['Dead letters', ['/administration/queues#dead-letters', 'Open dead letters']],
  ['Payments', ['/payments', 'Open payments']],
  ['Mail', ['/administration/mail-servers', 'Open mail servers']],
  ['Mailboxes', ['/administration/mailboxes', 'Open mailboxes']],
  ['Public address', ['/administration/settings?Text=PublicAddress', 'Open its settings']],
  ['Certificates', ['/administration/settings?Text=Certificate', 'Open its settings']],
  ['API keys', ['/administration/keys', 'Open API keys']],
  ['Failures of the last day', ['/administration/health#errors', 'Recent errors']],
  ['Proxies', ['/administration/security', 'Open security log']],
]);

/** Returns the page on which a finding is looked into, with the words of the link. */
export function placeOfCheck(check: string): readonly [href: string, link: string] {
  return placesOfChecks.get(check) ?? ['/administration/health', 'Open health'];
}

function findingsCard(call: PageCall, rows: readonly Check[], labels: Labels): Markup {
  const open = rows.filter(({ State: state, MutedUntil: muted }) => state !== 'ok' && muted === null);
  const muted = rows.filter(({ MutedUntil: until }) => until !== null);
  return html`${card({
    id: 'findings',
    title: 'Needs attention',
    note: open.length > 1 && 'Most serious first',
    body:
      open.length === 0
        ? emptyState({ title: 'Nothing needs attention.', text: 'All checks have passed or are muted.', icon: 'check' })
        : html`<ul class="attention">${open.map((row) => finding(call, row))}</ul>`,
  })}${
    muted.length > 0 &&
    card({
      id: 'muted',
      title: 'Muted',
      body: html`<ul class="attention">${muted.map((row) => mutedFinding(call, row, labels))}</ul>`,
    })
  }`;
}

function finding(call: PageCall, row: Check): Markup {
  const { Health: name, State: state, Detail: detail, Advice: advice, Consequence: consequence, Since: since } = row;
  const [href, link] = placeOfCheck(name);
  const began = shortTimeMark(call, since);
  return html`<li class="${state}">${icon(state === 'failed' ? 'error' : 'warning')}
<div><p><span class="strong">${name}</span><span class="hidden">: ${state}.</span> ${consequence}${
    began && html` <span class="muted">Since ${began}.</span>`
  }</p>
<p>${detail}</p>
${advice !== undefined && html`<p class="soft">${advice}</p>`}</div>
<div class="row end">${
    href !== '/administration/health' && html`<a class="link" href="${href}">${link}</a>`
  }${call.may('system/mutehealth') && muteMenu(call, name)}</div></li>\n`;
}

function mutedFinding(call: PageCall, row: Check, labels: Labels): Markup {
  const { Health: name, Detail: detail, MutedUntil: until, MuteReason: reason, MutePersonID: id } = row;
  const person = id === null ? undefined : labels.get('Person')?.get(id);
  return html`<li>${icon('bell')}
<div><p><span class="strong">${name}</span> <bdi>${reason}</bdi>
<span class="muted">Until ${shortTimeMark(call, until)}${
    person !== undefined && html`, by <bdi>${person}</bdi>`
  }.</span></p>
<p>${detail}</p></div>
${
  call.may('system/unmutehealth') &&
  html`<form method="post" action="/administration/health">${csrfField(call)}${hiddenField('Health', name)}
${button({ text: 'End the mute', kind: 'quiet', name: 'Action', value: 'unmute', of: name })}</form>`
}</li>\n`;
}

/** Renders the form that mutes a finding, with duration and reason. */
function muteMenu(call: PageCall, name: string): Markup {
  const id = name.toLowerCase().replace(/\W+/g, '-');
  return html`<details class="menu"><summary class="button quiet">Mute…<span class="hidden"> ${name}</span></summary>
<form class="menu-entries right discard-form" method="post" action="/administration/health">
${csrfField(call)}${hiddenField('Health', name)}
${selectField({
  label: 'For',
  name: 'Hours',
  id: `hours-${id}`,
  choices: muteHours.map(([hours, text]) => ({ value: String(hours), text })),
})}
${textField({
  label: 'Why this can wait',
  name: 'Reason',
  id: `mute-${id}`,
  isRequired: true,
  attributes: html`maxlength="300" autocomplete="off"`,
})}
${button({ text: 'Mute', name: 'Action', value: 'mute', of: name })}
</form></details>`;
}

const muteHours = [
  [1, '1 hour'],
  [8, '8 hours'],
  [24, '1 day'],
  [168, '1 week'],
  [744, '1 month'],
] as const;

function checkRow({ Health: check, State: state, Detail: detail }: Check): Markup {
  return html`<tr>
<th scope="row">${check}</th>
<td>${stateBadge(state)}</td>
<td>${detail}</td>
</tr>\n`;
}

function stateBadge(state: string): Markup {
  if (state === 'failed') return badge('Failed', 'danger', 'error');
  return state === 'warning' ? badge('Warning', 'warn', 'warning') : badge('OK', 'ok', 'check');
}

async function errorsCard(call: PageCall): Promise<Markup | false> {
  if (!call.may('errorlog/search')) return false;
  const { answer } = await call.call('errorlog/search', {
    OrderBy: '-ErrorLogID',
    DisplaySize: ERRORS_SHOWN,
    RecordCount: 'false',
  });
  const { rows } = rowsOf(answer);
  return card({
    id: 'errors',
    title: 'Recent errors',
    actions: buttonLink({ text: 'All errors', href: '/records/errorlog', kind: 'quiet' }),
    body:
      rows.length === 0
        ? emptyState({ title: 'No unexpected error is in the log.', icon: 'check' })
        : table({
            label: 'Latest errors',
            className: 'wrap',
            heads: ['When', 'Error', 'Reference'],
            rows: rows.map(
              (row) => html`<tr>
<td class="nowrap">${shortTimeMark(call, row.CreatedDate)}</td>
<th scope="row"><a href="/records/errorlog/${row.ErrorLogID}">${row.ErrorLog}</a></th>
<td class="mono">${row.ErrorGUID}</td>
</tr>\n`,
            ),
          }),
  });
}
