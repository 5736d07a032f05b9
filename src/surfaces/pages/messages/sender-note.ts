import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import type { ThreadMessage } from './read-thread.ts';

/** Says whether a received message is from its sender's address; nothing for one whose sender was never checked. */
export function senderNote({ row }: ThreadMessage): Markup | false {
  const { SenderProof: proof, SenderDetail, FromAddress } = row;
  if (proof === null) return false;
  const detail = (SenderDetail ?? '') !== '' && html` <span class="muted"><bdi>${SenderDetail}</bdi></span>`;
  const address = html`<bdi>${(FromAddress ?? '').trim() || 'the sender'}</bdi>`;
  if (proof === 'Failed')
    return html`<div class="mail-note danger small">${icon('error', 14)}<p><b>This email may be forged.</b> The mail
 server found that it did not come from ${address}.${detail}</p></div>`;
  if (proof === 'Proven')
    return html`<div class="mail-evidence small">${icon('check', 14)}<p>The mail server confirmed that it came from
 ${address}.</p></div>`;
  return html`<div class="mail-note small">${icon('info', 14)}<p>The mail server did not confirm that it
 came from ${address}.${detail}</p></div>`;
}
