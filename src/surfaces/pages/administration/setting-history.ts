import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { localDateTime } from '../display-values.ts';
import { shortTimeMark } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { administrationAnswer } from './frame.ts';

const PATH = '/administration/settings';

type Change = AnswerRowFor<'setting/changes'>;

/** Returns the address of the history of a setting. */
export function settingHistoryPath(name: string): string {
  return `${PATH}/history?${new URLSearchParams({ Setting: name }).toString()}`;
}

/** Shows who changed a setting, when, from what and to what, with the way back to each earlier value. */
export const settingHistoryPage = page(async (call) => {
  const sent = plainText(call.query['Setting']).toLowerCase();
  const setting = call.platform.registry.settings.find(({ name }) => name.toLowerCase() === sent);
  if (!setting) throw new PlatformError('NOT_FOUND');
  const [changes, present] = await Promise.all([
    call.call('setting/changes', { Setting: setting.name }),
    call.call('setting/search', { Setting: `"${setting.name}"`, RecordCount: 'false' }),
  ]);
  const { rows } = changes.answer;
  const labels = await loadLabels(call, [referencesOf(rows, ['PersonID', 'Person'])]);
  const stored: StoredSetting = { name: setting.name, id: present.answer.rows[0]?.SettingID ?? '' };
  return administrationAnswer(call, {
    title: `History of ${setting.name}`,
    path: PATH,
    below: [{ text: 'History' }],
    done: call.query['done'] === 'true' ? 'Setting changed back' : undefined,
    heading: html`History of <code>${setting.name}</code>`,
    intro: html`<a class="link" href="${PATH}#s-${setting.name}">Open the setting</a>`,
    body: card({
      id: 'changes',
      title: 'Changes',
      body:
        rows.length === 0
          ? emptyState({ title: 'It has never been changed.', text: 'The default has applied from the beginning.' })
          : table({
              label: `Changes of ${setting.name}, the latest first`,
              className: 'wrap stacked',
              heads: ['When', 'By', 'From', 'To', { text: 'Undo', isHidden: true }],
              rows: rows.map((row, at) => changeRow(call, { row, isLatest: at === 0, labels, stored })),
            }),
    }),
  });
});

/** The stored row of a setting; an empty ID where the default applies. */
interface StoredSetting {
  readonly name: string;
  readonly id: number | '';
}

/** What a change is rendered from. */
interface ChangeParts {
  readonly row: Change;
  readonly isLatest: boolean;
  readonly labels: Labels;
  readonly stored: StoredSetting;
}

function changeRow(call: PageCall, { row, isLatest, labels, stored }: ChangeParts): Markup {
  const name = row.PersonID === null ? undefined : labels.get('Person')?.get(row.PersonID);
  return html`<tr>
<th scope="row" class="nowrap">${shortTimeMark(call, row.At)}</th>
<td data-label="By"><bdi>${name}</bdi></td>
<td data-label="From">${valueMarkup(row, row.From, row.FromDefault)}</td>
<td data-label="To">${valueMarkup(row, row.To, row.ToDefault)}</td>
<td><div class="row end">${call.may('setting/save') && undoForm(call, { row, isLatest, stored })}</div></td>
</tr>\n`;
}

function valueMarkup({ Hidden: isHidden }: Change, value: string | null, isDefault: boolean): Markup {
  if (isDefault) return html`<span class="muted">Default</span>`;
  if (isHidden) return html`<span class="muted">A secret</span>`;
  return value === null || value === '' ? html`<span class="muted">Empty</span>` : html`<bdi>${value}</bdi>`;
}

/** Renders the way back to the value before a change; none for secrets, which the page does not know. */
function undoForm(call: PageCall, { row, isLatest, stored }: Omit<ChangeParts, 'labels'>): Markup | false {
  const { From: from, FromDefault: toDefault, Hidden: isHidden } = row;
  if ((isHidden && !toDefault) || (toDefault && stored.id === '')) return false;
  const text = isLatest ? 'Undo' : 'Restore the value before';
  const back = toDefault ? hiddenField('Reset', 'true') : hiddenField('Value', from ?? '');
  return html`<form method="post" action="${PATH}">${csrfField(call)}
${hiddenField('Setting', stored.name)}${hiddenField('SettingID', stored.id)}${hiddenField('History', 'true')}${back}
${button({ text, kind: 'quiet', icon: 'undo', of: `the change of ${localDateTime(call, row.At)}` })}</form>`;
}
