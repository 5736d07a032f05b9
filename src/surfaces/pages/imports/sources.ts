import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { card } from '../design/card.ts';
import type { PageCall } from '../page-call.ts';
import { shortTime } from '../due-words.ts';

/** Sources that are shown. */
const SHOWN_MAX = 20;

type ExpectedFile = AnswerRowFor<'fileobject/expected'>;
type Schedule = AnswerRowFor<'queue/schedules'>;

/** Renders where files come from by themselves: what is expected and late, and when folders are looked at next. */
export async function sourcesCard(call: PageCall): Promise<Markup | false> {
  const [expected, schedules] = await Promise.all([
    call.may('fileobject/expected') && call.user.universal
      ? call.call('fileobject/expected', {}).then(({ answer }) => answer.rows)
      : [],
    call.may('queue/schedules')
      ? call
          .call('queue/schedules', { Operation: 'importfile/watch', DisplaySize: SHOWN_MAX })
          .then(({ answer }) => answer.rows)
      : [],
  ]);
  if (expected.length + schedules.length === 0) return false;
  const late = [...expected].sort((a, b) => Number(b.IsMissing) - Number(a.IsMissing));
  return card({
    id: 'sources',
    title: 'Watched sources',
    body: html`<ul class="needs-you">${late.map((file) => expectedLine(call, file))}${schedules.map((schedule) =>
      scheduleLine(call, schedule),
    )}</ul>`,
  });
}

function expectedLine(call: PageCall, file: ExpectedFile): Markup {
  const last =
    file.LastDate === null ? 'None has come yet.' : `The last good one is from ${shortTime(call, file.LastDate)}.`;
  const text = file.IsMissing
    ? `No file came. ${last}`
    : `${file.HasCome ? 'A file came.' : `Expected by ${shortTime(call, file.DueDate)}.`} ${last}`;
  return html`<li><span class="strong cut">${file.Location}: ${file.Path}</span>
${file.IsMissing ? badge('Late', 'danger', 'warning') : badge('On time', 'ok', 'check')}
<p class="soft">${text} <span class="muted">${file.Pattern}, ${file.ExpectedBy}</span></p></li>\n`;
}

function scheduleLine(call: PageCall, { QueueLabel: label, ScheduleName: name, NextRun: next }: Schedule): Markup {
  return html`<li><span class="strong cut">${(label ?? '') || 'Watched folder'}</span>
<span class="muted small">${next !== null && `Next ${shortTime(call, next)}`}</span>
<p class="soft">${name}</p></li>\n`;
}
