import { PlatformError } from '../../../kernel/door/errors.ts';
import { html } from '../../../kernel/render/markup.ts';
import { administrationPages } from '../layout.ts';
import { page } from '../page.ts';

/** What an administrator can do here. */
export const administrationPage = page((call) => {
  const shown = administrationPages.filter(({ needs }) => call.may(needs));
  if (shown.length === 0) throw new PlatformError('NO_PERMISSION');
  return Promise.resolve({
    title: 'Administration',
    body: html`<h1>Administration</h1><dl class="index">${shown.map(({ path, name, doc }) => html`<div><dt><a href="${path}">${name}</a></dt><dd>${doc}</dd></div>`)}</dl>`,
  });
});
