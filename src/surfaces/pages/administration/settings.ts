import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { shortTimeMark } from '../due-words.ts';
import { administrationAnswer } from './frame.ts';
import { settingHistoryPath } from './setting-history.ts';
import { settingSubjects, subjectOf } from './setting-subjects.ts';

const PATH = '/administration/settings';
/** A setting's name is shown in its confirmation up to this length. */
const NAME_CHARACTERS_MAX = 100;

type SettingRow = RowNamed<'Setting'>;
type Setting = PageCall['platform']['registry']['settings'][number];

/** Shows the declared settings by subject, each with its value, its default, its range and who changed it. */
export const settingsPage = page((call) => settingsAnswer(call));

/** Gives a setting a value, or resets it to its default. */
export const saveSetting = page(async (call) => {
  const [name, value, id, text] = ['Setting', 'Value', 'SettingID', 'Text'].map((field) =>
    plainText(call.form[field]),
  ) as [string, string, string, string];
  try {
    if (call.form['Reset'] === 'true') await call.call('setting/delete', { ID: id });
    else await call.call('setting/save', { ...(id === '' ? {} : { ID: id }), Setting: name, Value: value });
    if (call.form['History'] === 'true') return { redirectTo: `${settingHistoryPath(name)}&done=true` };
    const query = new URLSearchParams({ done: name, ...(text === '' ? {} : { Text: text }) }).toString();
    return { redirectTo: `${PATH}?${query}#s-${encodeURIComponent(name)}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return settingsAnswer(call, error);
  }
});

/** What the page knows of the stored settings. */
interface StoredSettings {
  readonly rows: ReadonlyMap<string, SettingRow>;
  readonly labels: Labels;
  /** The search, which forms send back. */
  readonly text: string;
  readonly refused: { readonly name: string; readonly error: PlatformError } | undefined;
}

async function settingsAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const { answer } = await call.call('setting/search', { DisplaySize: '1000', RecordCount: 'false' });
  const record = call.platform.registry.recordType('Setting');
  const labels = await loadLabels(call, [{ columns: record.shown, rows: answer.rows }]);
  const text = plainText(call.query['Text'] ?? call.form['Text']).trim();
  const stored: StoredSettings = {
    rows: new Map(answer.rows.map((row) => [row.Setting?.toLowerCase() ?? '', row])),
    labels,
    text,
    refused: error && { name: plainText(call.form['Setting']).toLowerCase(), error },
  };
  const found = [...call.platform.registry.settings]
    .filter((setting) => isAbout(setting, text))
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const groups = [...Map.groupBy(found, ({ name }) => subjectOf(name))].toSorted(
    ([a], [b]) => settingSubjects.indexOf(a) - settingSubjects.indexOf(b),
  );
  const changed = call.query['done'];
  return administrationAnswer(call, {
    title: 'Settings',
    path: PATH,
    status: error?.status,
    intro: 'A change takes effect everywhere within a second, and is in the security log.',
    done: typeof changed === 'string' ? `${changed.slice(0, NAME_CHARACTERS_MAX)} saved` : undefined,
    body: html`<form class="row wrap settings-find" method="get" action="${PATH}" role="search" aria-label="Settings">
${textField({ label: 'Find a setting', name: 'Text', type: 'search', value: text })}
${button({ text: 'Find', icon: 'search' })}
${text !== '' && buttonLink({ text: 'Show all', href: PATH, kind: 'quiet' })}
</form>
${found.length === 0 && emptyState({ title: 'No setting is about these words.' })}
<div class="settings-columns">
<nav class="settings-index" aria-label="Subjects">${groups.map(
      ([subject, of]) =>
        html`<a href="#${anchorOf(subject)}"><span>${subject}</span><span class="muted">${of.length}</span></a>\n`,
    )}</nav>
<div class="settings-groups">${groups.map(([subject, of]) =>
      card({
        id: anchorOf(subject),
        title: subject,
        body: of.map((setting) => settingLine(call, setting, stored)),
      }),
    )}</div>
</div>`,
  });
}

function anchorOf(subject: string): string {
  return subject.toLowerCase().replace(/\W+/g, '-');
}

/** Whether a setting's name or description has all words of a search. */
function isAbout({ name, doc }: Setting, text: string): boolean {
  const of = `${name} ${wordsOf(name)} ${doc} ${subjectOf(name)}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => of.includes(word));
}

/** Returns the name of a setting in words: `SessionIdleMinutes` is "Session idle minutes". */
function wordsOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1 $2');
  return words
    .split(' ')
    .map((word, at) => (at === 0 || /^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
}

function settingLine(call: PageCall, setting: Setting, stored: StoredSettings): Markup {
  const { name, doc } = setting;
  const row = stored.rows.get(name.toLowerCase());
  const error = stored.refused?.name === name.toLowerCase() ? stored.refused.error : undefined;
  const entered = error && plainText(call.form['Value']);
  return html`<section class="setting" id="s-${name}" aria-labelledby="t-${name}">
<div><h3 class="row wrap" id="t-${name}">${wordsOf(name)} ${row && badge('Changed', 'accent')}</h3>
<p class="soft">${withCode(doc)}</p>
<p class="muted small"><code>${name}</code> · Default: ${shownDefault(setting)}
${row && changedBy(call, row, stored)}
${call.may('setting/changes') && historyLink(name)}</p>
${!call.may('setting/save') && row && html`<p class="small">Set to <bdi>${shownValue(setting, row)}</bdi></p>`}</div>
${call.may('setting/save') && settingForm(call, { setting, row, stored, entered })}
${error && errorNote(error.masked())}
</section>\n`;
}

function historyLink(name: string): Markup {
  return html` · <a href="${settingHistoryPath(name)}">History<span class="hidden"> of ${name}</span></a>`;
}

/** Says who changed a setting, and when. */
function changedBy(call: PageCall, row: SettingRow, { labels }: StoredSettings): Markup {
  const person = row.UpdatedPersonID;
  const name = person === null ? undefined : labels.get('Person')?.get(person);
  return html` · Changed ${shortTimeMark(call, row.UpdatedDate)}${name !== undefined && html` by <bdi>${name}</bdi>`}`;
}

/** Renders a description, in which backticks enclose code. */
function withCode(doc: string): readonly (string | Markup)[] {
  return doc.split('`').map((text, at) => (at % 2 === 0 ? text : html`<code>${text}</code>`));
}

/** Returns a setting's default for reading. */
function shownDefault({ field, default: defaultValue }: Setting): string {
  if (field.classification === 'secret') return 'none';
  if (field.kind === 'boolean') return defaultValue === true ? 'Yes' : 'No';
  return plainText(defaultValue) || 'empty';
}

/** Returns a stored value for those who may not change it. */
function shownValue({ field }: Setting, { Value: value }: SettingRow): string {
  if (field.classification === 'secret') return 'a secret';
  if (field.kind === 'boolean') return value === 'true' ? 'Yes' : 'No';
  return plainText(value) || 'empty';
}

/** What the form of a setting is rendered from. */
interface SettingFormParts {
  readonly setting: Setting;
  readonly row: SettingRow | undefined;
  readonly stored: StoredSettings;
  /** What was entered before a refusal. */
  readonly entered: string | undefined;
}

function settingForm(call: PageCall, { setting, row, stored, entered }: SettingFormParts): Markup {
  const { name } = setting;
  return html`<form method="post" action="${PATH}">
${csrfField(call)}${hiddenField('Setting', name)}${hiddenField('SettingID', row?.SettingID ?? '')}
${stored.text !== '' && hiddenField('Text', stored.text)}
<label class="hidden" for="v-${name}">Value of ${name}</label>
${valueControl(setting, entered ?? storedValue(setting, row))}
${button({ text: 'Save', of: name })}
${row && button({ text: 'Reset to default', kind: 'quiet', name: 'Reset', value: 'true', icon: 'undo', of: name })}
</form>`;
}

/** Returns a setting's value; empty for a secret, which is never shown. */
function storedValue({ field, default: defaultValue }: Setting, row: SettingRow | undefined): string {
  if (field.classification === 'secret') return '';
  return plainText(row?.Value ?? defaultValue);
}

function valueControl({ name, field, limits }: Setting, value: string): Markup {
  if (field.kind === 'boolean')
    return html`<select class="input" id="v-${name}" name="Value">
<option value="true"${value === 'true' && html` selected`}>Yes</option>
<option value="false"${value !== 'true' && html` selected`}>No</option>
</select>`;
  const secret = field.classification === 'secret' && html` type="password" autocomplete="off" placeholder="Unchanged"`;
  const range = limits.range && html` inputmode="numeric" title="${limits.range[0]} to ${limits.range[1]}"`;
  return html`<input class="input" id="v-${name}" name="Value" value="${value}"${secret}${range}>`;
}
