import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';

/** Counts above this are shown as "99+". */
const COUNT_SHOWN_MAX = 99;

/** Returns how many notifications the user has not read; 0 where that cannot be read now. */
export async function unreadCount(call: PageCall): Promise<number> {
  if (call.user.mustChangePassword) return 0;
  try {
    return (await call.call('notification/count', {})).answer.row.Unread;
  } catch {
    // A page without the count is better than none.
    return 0;
  }
}

/** Renders the bell of the top bar. With script it opens the latest over the page and updates its number. */
export function bell(unread: number): Markup {
  const shown = unread > COUNT_SHOWN_MAX ? `${COUNT_SHOWN_MAX}+` : String(unread);
  const live = html` data-bell data-live="me/notification"`;
  return html`<a class="button quiet square bell" href="/notifications" title="Notifications"${live}>${icon('bell')}
<span class="hidden">Notifications</span>
<span class="bell-count"${unread === 0 && html` hidden`}>${shown}<span class="hidden"> unread</span></span></a>`;
}
