import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { localDateTime } from '../display-values.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { messagePath } from './message-paths.ts';

/** A secure link, with a use of it if there is one. */
export type LinkUse = AnswerRowFor<'securelink/reads'>;

/** Uses of links that a conversation lists, the newest; the links themselves are all listed. */
const USES_SHOWN = 100;

const useWords: Readonly<Record<string, string>> = {
  Code: 'requested a code',
  Refused: 'entered a wrong code',
  Message: 'read the message',
  File: 'read the document',
};

/** Returns the uses of the secure links of a message; undefined where it has none or the user may not see them. */
export async function readLinkUses(call: PageCall, messageId: number): Promise<readonly LinkUse[] | undefined> {
  if (!call.may('securelink/reads')) return undefined;
  const { rows } = (await call.call('securelink/reads', { MessageID: messageId })).answer;
  return rows.length === 0 ? undefined : rows;
}

/** Renders who read a secure message and when, how long its links work, and the way to revoke them. */
export function secureLinks(call: PageCall, messageId: number, uses: readonly LinkUse[], path: string): Markup {
  const links = [...new Map(uses.map((use) => [use.SecureLinkID, use])).values()];
  const now = call.platform.clock.now();
  const works = ({ RevokedDate, ExpiryDate }: LinkUse): boolean =>
    RevokedDate === null && ExpiryDate !== null && Date.parse(ExpiryDate) > Date.parse(now);
  const open = links.filter(works);
  const used = uses.filter(({ ReadDate }) => ReadDate !== null);
  const readers = new Set(used.filter(({ What }) => What === 'Message').map(({ SecureLinkID }) => SecureLinkID));
  const state = open.length === 0 ? 'No link works any more.' : `${plural(open.length, 'link')} still valid.`;
  return html`<details class="mail-secure small"><summary>${icon('lock', 14)}<span>Secure: read by ${readers.size}
of ${plural(links.length, 'recipient')}. ${state}</span></summary>
<h4>Links</h4>
<ul>${links.map(
    (link) =>
      html`<li><bdi>${link.Address}</bdi> <span class="muted">${linkState(call, link, works(link))}</span></li>`,
  )}</ul>
${
  used.length > 0 &&
  html`<h4>Reads</h4><ul>${used
    .slice(0, USES_SHOWN)
    .map(
      (use) =>
        html`<li><bdi>${use.Address}</bdi> ${useWords[use.What ?? ''] ?? ''}${
          use.Detail !== null && html` <bdi>${use.Detail}</bdi>`
        } <span class="muted">${localDateTime(call, use.ReadDate ?? '')}${
          use.NetworkAddress !== null && html` · ${use.NetworkAddress}`
        }</span></li>`,
    )}</ul>`
}
${
  open.length > 0 && call.may('securelink/revoke') && revokeForm(call, messageId, { count: open.length, path })
}</details>`;
}

function linkState(call: PageCall, { RevokedDate, ExpiryDate }: LinkUse, isOpen: boolean): string {
  if (RevokedDate !== null) return `revoked ${localDateTime(call, RevokedDate)}`;
  const word = isOpen ? 'expires' : 'expired';
  return ExpiryDate === null ? '' : `${word} ${localDateTime(call, ExpiryDate)}`;
}

/** Renders the button that revokes the links; the question is behind it, so that it also works without script. */
function revokeForm(
  call: PageCall,
  id: number,
  { count, path }: { readonly count: number; readonly path: string },
): Markup {
  return html`<details class="revoke-links"><summary class="button quiet">Revoke…</summary>
<form class="row wrap" method="post" action="${messagePath(id)}">${csrfField(call)}${hiddenField('Back', path)}
<p>Revoke ${plural(count, 'link')}? Nobody can read the message by ${count === 1 ? 'it' : 'them'} any more.
This cannot be undone.</p>
${button({ text: `Revoke ${plural(count, 'link')}`, kind: 'danger', name: 'Action', value: 'revoke' })}</form>
</details>`;
}
