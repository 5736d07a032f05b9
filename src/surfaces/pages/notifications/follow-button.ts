import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { hiddenField } from '../components.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';

/** A record that the user follows, or may follow. */
export interface FollowParts {
  readonly object: string;
  readonly id: number;
  readonly isFollowing: boolean;
  /** The address of the page that it is on. */
  readonly back: string;
  /** The record's label, for screen readers, where several are on a page. */
  readonly of?: string | undefined;
}

/** Renders the button that follows a record, or stops. */
export function followButton(call: PageCall, { object, id, isFollowing, back, of }: FollowParts): Markup {
  return html`<form method="post" action="/follow">${csrfField(call)}${hiddenField('Object', object)}${hiddenField(
    'ObjectID',
    String(id),
  )}${hiddenField('Back', back)}${button({
    text: isFollowing ? 'Following' : 'Follow',
    icon: 'star',
    of,
    kind: 'quiet',
    name: 'Follow',
    value: isFollowing ? 'false' : 'true',
    attributes: html`aria-pressed="${isFollowing ? 'true' : 'false'}" title="${
      isFollowing ? 'Stop notifying me of changes' : 'Notify me of changes'
    }"`,
  })}</form>`;
}

/** Follows a record, or stops, and goes back to its page. */
export const changeFollow = page(async (call) => {
  const { form } = call;
  const record = { Object: plainText(form['Object']), ObjectID: plainText(form['ObjectID']) };
  if (plainText(form['Follow']) === 'true') await call.call('follow/add', record);
  else await call.call('follow/remove', record).catch(ignoreAbsent);
  const back = plainText(form['Back']);
  // Only pages of this server: no scheme, and no second slash.
  return { redirectTo: /^\/(?![/\\])[\w/-]*$/.test(back) ? back : '/notifications' };
});

/** Pressed twice, or in two tabs: the user no longer follows the record, as they wanted. */
function ignoreAbsent(error: unknown): void {
  if (!(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
}
