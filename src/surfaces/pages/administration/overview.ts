import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { fact } from '../components.ts';
import { administrationPages, type AdministrationPage } from '../layout.ts';
import { page } from '../page.ts';

/** Lists the administration pages that the user may open. @throws NO_PERMISSION where there are none */
export const administrationPage = page((call) => {
  const shown = administrationPages.filter(({ needs }) => call.may(needs));
  if (shown.length === 0) throw new PlatformError('NO_PERMISSION');
  const entry = ({ path, name, doc }: AdministrationPage): Markup => fact(html`<a href="${path}">${name}</a>`, doc);
  return Promise.resolve({
    title: 'Administration',
    body: html`<h1>Administration</h1>
<dl class="index">${shown.map(entry)}</dl>`,
  });
});
