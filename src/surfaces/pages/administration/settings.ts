import type { ListAnswer } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html } from '../../../kernel/render/markup.ts';
import { errorNote } from '../error.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';

/** Every declared setting with its value, its default and what it does. */
export const settingsPage = page((call) => settingsAnswer(call));

/** Gives a setting a value, or takes it back to its default. */
export const saveSetting = page(async (call) => {
  const { Setting = '', Value = '', SettingID = '', Reset } = call.form;
  try {
    if (Reset === 'true') await call.call('setting/delete', { ID: String(SettingID) });
    else
      await call.call('setting/save', {
        ...(SettingID === '' ? {} : { ID: String(SettingID) }),
        Setting: String(Setting),
        Value: String(Value),
      });
    return {
      redirectTo: `/administration/settings?done=${encodeURIComponent(String(Setting))}#s-${encodeURIComponent(String(Setting))}`,
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return settingsAnswer(call, error);
  }
});

async function settingsAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const { answer } = await call.call('setting/search', { DisplaySize: '1000', RecordCount: 'false' });
  const own = new Map((answer as ListAnswer).rows.map((row) => [String(row['Setting']).toLowerCase(), row]));
  const settings = [...call.platform.registry.settings].sort((a, b) => a.name.localeCompare(b.name));
  const refused = error ? String(call.form['Setting']).toLowerCase() : undefined;
  return {
    title: 'Settings',
    wide: true,
    status: error?.status ?? 200,
    body: html`<p class="crumbs"><a href="/administration">Administration</a></p><h1>Settings</h1><p class="quiet">A change takes effect everywhere within a second.</p>
${typeof call.query['done'] === 'string' && html`<div class="note" role="status"><p>${call.query['done'].slice(0, 100)} was changed.</p></div>`}
${settings.map(({ name, doc, field, default: otherwise }) => {
  const row = own.get(name.toLowerCase());
  const secret = field.classification === 'secret';
  const value =
    refused === name.toLowerCase()
      ? String(call.form['Value'] ?? '')
      : secret
        ? ''
        : String(row?.['Value'] ?? otherwise);
  return html`<section class="setting" aria-labelledby="s-${name}"><h2 id="s-${name}"><code>${name}</code>${row && html` <span class="status">changed</span>`}</h2><p>${doc} <span class="quiet">Default: ${secret ? 'none' : String(otherwise) || 'empty'}.</span></p>
${error && refused === name.toLowerCase() && errorNote(error.masked())}
${call.may('setting/save') && html`<form class="filters" method="post" action="/administration/settings">${csrfField(call)}<input type="hidden" name="Setting" value="${name}"><input type="hidden" name="SettingID" value="${String(row?.['SettingID'] ?? '')}"><p><label class="hidden" for="v-${name}">Value of ${name}</label>${field.kind === 'boolean' ? html`<select id="v-${name}" name="Value"><option value="true"${value === 'true' && html` selected`}>Yes</option><option value="false"${value !== 'true' && html` selected`}>No</option></select>` : html`<input id="v-${name}" name="Value" value="${value}"${secret && html` type="password" autocomplete="off" placeholder="kept"`}>`} <button>Save</button>${row && html` <button class="quiet" name="Reset" value="true">Back to the default</button>`}</p></form>`}</section>\n`;
})}`,
  };
}
