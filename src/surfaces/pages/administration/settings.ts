import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField, option } from '../components.ts';
import { administrationCrumb, csrfField } from '../layout.ts';
import { errorNote, statusNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';

/** A setting's name is shown in its confirmation up to this length. */
const NAME_CHARACTERS_MAX = 100;

type SettingRow = RowNamed<'Setting'>;
type Setting = PageCall['platform']['registry']['settings'][number];

/** Shows every declared setting with its value, its default and what it does. */
export const settingsPage = page((call) => settingsAnswer(call));

/** Gives a setting a value, or resets it to its default. */
export const saveSetting = page(async (call) => {
  const [name, value, id] = ['Setting', 'Value', 'SettingID'].map((field) => plainText(call.form[field])) as [
    string,
    string,
    string,
  ];
  try {
    if (call.form['Reset'] === 'true') await call.call('setting/delete', { ID: id });
    else await call.call('setting/save', { ...(id === '' ? {} : { ID: id }), Setting: name, Value: value });
    const encoded = encodeURIComponent(name);
    return { redirectTo: `/administration/settings?done=${encoded}#s-${encoded}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return settingsAnswer(call, error);
  }
});

async function settingsAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const { answer } = await call.call('setting/search', { DisplaySize: '1000', RecordCount: 'false' });
  const rows = new Map(answer.rows.map((row) => [row.Setting?.toLowerCase() ?? '', row]));
  const settings = [...call.platform.registry.settings].sort((a, b) => a.name.localeCompare(b.name));
  const refusedName = plainText(call.form['Setting']).toLowerCase();
  const section = (setting: Setting): Markup => {
    const name = setting.name.toLowerCase();
    return settingSection(call, setting, rows.get(name), name === refusedName ? error : undefined);
  };
  const changed = call.query['done'];
  return {
    title: 'Settings',
    wide: true,
    status: error?.status ?? 200,
    body: html`${administrationCrumb()}
<h1>Settings</h1>
<p class="quiet">Changes take effect everywhere within a second.</p>
${typeof changed === 'string' && statusNote(`${changed.slice(0, NAME_CHARACTERS_MAX)} saved`)}
${settings.map(section)}`,
  };
}

/** Renders a setting. `row`: its stored value, if it has one. `error`: why its new value was refused. */
function settingSection(
  call: PageCall,
  setting: Setting,
  row: SettingRow | undefined,
  error: PlatformError | undefined,
): Markup {
  const { name, doc } = setting;
  const changed = row && html` <span class="status">Changed</span>`;
  return html`<section class="setting" aria-labelledby="s-${name}">
<h2 id="s-${name}"><code>${name}</code>${changed}</h2>
<p>${doc} <span class="quiet">Default: ${shownDefault(setting)}.</span></p>
${error && errorNote(error.masked())}
${call.may('setting/save') && settingForm(call, setting, row, error && plainText(call.form['Value']))}
</section>\n`;
}

/** Returns a setting's default for reading. */
function shownDefault({ field, default: defaultValue }: Setting): string {
  if (field.classification === 'secret') return 'none';
  if (field.kind === 'boolean') return defaultValue === true ? 'Yes' : 'No';
  return plainText(defaultValue) || 'empty';
}

function settingForm(
  call: PageCall,
  setting: Setting,
  row: SettingRow | undefined,
  entered: string | undefined,
): Markup {
  const { name } = setting;
  return html`<form class="filters" method="post" action="/administration/settings">
${csrfField(call)}${hiddenField('Setting', name)}${hiddenField('SettingID', row?.SettingID ?? '')}
<p>
<label class="hidden" for="v-${name}">Value of ${name}</label>
${valueControl(setting, entered ?? storedValue(setting, row))}
<button>Save</button>
${row && html`<button class="quiet" name="Reset" value="true">Reset to default</button>`}
</p>
</form>`;
}

/** Returns a setting's value; empty for a secret, which is never shown. */
function storedValue({ field, default: defaultValue }: Setting, row: SettingRow | undefined): string {
  if (field.classification === 'secret') return '';
  return plainText(row?.Value ?? defaultValue);
}

function valueControl({ name, field }: Setting, value: string): Markup {
  if (field.kind === 'boolean')
    return html`<select id="v-${name}" name="Value">
${option('true', 'Yes', value === 'true')}
${option('false', 'No', value !== 'true')}
</select>`;
  const secret = field.classification === 'secret' && html` type="password" autocomplete="off" placeholder="Unchanged"`;
  return html`<input id="v-${name}" name="Value" value="${value}"${secret}>`;
}
