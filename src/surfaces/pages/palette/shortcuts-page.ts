import { html } from '../../../kernel/render/markup.ts';
import { keyHint } from '../design/keys.ts';
import { facts } from '../design/list.ts';
import { page } from '../page.ts';
import { everywhereKeys } from '../shared/keys.ts';
import { places } from '../shell/places.ts';

/** Lists the keys that work everywhere. With script, `?` lists those of the page, too, without leaving it. */
export const shortcutsPage = page((call) => {
  const shown = places.filter(({ isFor, goKey }) => goKey !== undefined && isFor(call));
  return Promise.resolve({
    title: 'Keys',
    place: 'account' as const,
    body: html`<div class="page narrow"><h1>Keys</h1>
<p class="muted">A page shows its own keys beside its buttons. Press <kbd>?</kbd> there for all of them.</p>
<section aria-labelledby="everywhere"><h2 id="everywhere">Everywhere</h2>
${facts(everywhereKeys.map(([text, ...keys]) => [text, keyHint(keys.join('+'))] as const))}</section>
<section aria-labelledby="go"><h2 id="go">Go to a place</h2>
${facts(shown.map(({ text, goKey = '' }) => [text, keyHint(`G+${goKey}`)] as const))}</section></div>`,
  });
});
