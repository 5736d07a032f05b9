import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { Tone } from '../design/badge.ts';
import { icon, type IconName } from '../design/icons.ts';
import { groupDigits, localDateTime } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { recipientsPath } from './message-paths.ts';
import type { Recipient, ThreadMessage } from './read-thread.ts';

/** How a state of a recipient looks. */
interface StateLook {
  readonly text: string;
  readonly tone: Tone;
  readonly icon: IconName;
  /** What it means, in a sentence. */
  readonly meaning: string;
}

/** The states of recipients, in the order in which a message passes through them; failures last. */
export const recipientStates: Readonly<Record<string, StateLook>> = {
  Waiting: { text: 'Queued', tone: 'neutral', icon: 'clock', meaning: 'Waiting to be sent.' },
  Sent: { text: 'Sent', tone: 'accent', icon: 'arrowRight', meaning: 'The mail server accepted it.' },
  Delivered: { text: 'Delivered', tone: 'ok', icon: 'check', meaning: "It arrived at the recipient's mail server." },
  Read: { text: 'Read', tone: 'ok', icon: 'eye', meaning: 'The recipient opened it.' },
  Canceled: { text: 'Canceled', tone: 'neutral', icon: 'close', meaning: 'It was stopped before it was sent.' },
  Unknown: {
    text: 'Unknown',
    tone: 'warn',
    icon: 'warning',
    meaning:
      'The connection was lost while it was being sent. It may have arrived, so it is not sent again automatically.',
  },
  Suppressed: {
    text: 'Not sent',
    tone: 'warn',
    icon: 'hold',
    meaning: 'The address is blocked, so nothing was sent.',
  },
  Bounced: { text: 'Bounced', tone: 'danger', icon: 'error', meaning: 'It was returned.' },
  Refused: { text: 'Refused', tone: 'danger', icon: 'error', meaning: 'The mail server refused it.' },
};

/** Returns how a recipient's state looks; undefined for one without a state, such as that of received mail. */
function stateLook(status: string | undefined): StateLook | undefined {
  return status === undefined ? undefined : recipientStates[status];
}

/** Renders a recipient with what became of the mail. The pointer or the focus brings up the whole of it. */
function recipientPill(call: PageCall, row: Recipient): Markup {
  const look = stateLook(row.Status);
  const name = html`<bdi>${nameOf(row)}</bdi>`;
  if (!look) return html`<span class="recipient" title="${row.Address}">${name}</span>`;
  const id = `outcome-${row.ID}`;
  return html`<span class="recipient has-outcome"><button type="button" class="outcome ${
    look.tone
  }" aria-describedby="${id}">${icon(look.icon, 12)}${name}<span class="outcome-word">${look.text}</span></button>
<span class="outcome-detail" role="tooltip" id="${id}">${outcomeDetail(call, row, look)}</span></span>`;
}

function outcomeDetail(call: PageCall, row: Recipient, look: StateLook): Markup {
  const steps = (
    [
      ['Sent', row.SentDate],
      ['Delivered', row.ReceivedDate],
      ['Read', row.ReadDate],
    ] as const
  ).filter(([, at]) => at !== undefined);
  return html`<b><bdi>${row.Address}</bdi></b><span>${look.meaning}</span>${
    (row.Detail ?? '') !== '' && html`<span class="outcome-answer"><bdi>${row.Detail}</bdi></span>`
  }${steps.map(([text, at]) => html`<span class="muted">${text} ${localDateTime(call, at ?? '')}</span>`)}`;
}

/** Returns the name of a recipient, or the address of one without. */
export function nameOf({ Name, Address }: Recipient): string {
  return (Name ?? '').trim() || (Address ?? '');
}

const kinds: readonly (readonly [category: number, text: string])[] = [
  [0, 'To'],
  [1, 'Cc'],
  [2, 'Bcc'],
];
/** Recipients that are shown at once; the others are a press away. */
const SHOWN_MAX = 6;

/** Renders the recipients of a message by their kinds, each with its outcome, and the way to all of them. */
export function recipientLines(call: PageCall, { recipients, row, isReceived }: ThreadMessage): Markup {
  const { MessageID: id, RecipientCount: count } = row;
  const active = recipients.filter(({ Status }) => Status !== 'Inactive');
  return html`${kinds.map(([category, text]) => {
    const own = active.filter((row) => (row.Category ?? 0) === category);
    if (own.length === 0) return false;
    const [shown, others] = [own.slice(0, SHOWN_MAX), own.slice(SHOWN_MAX)];
    const more =
      others.length > 0 &&
      html`<details class="more-recipients"><summary class="link small">${others.length} more</summary>
<span class="recipients">${others.map((row) => recipientPill(call, row))}</span></details>`;
    return html`<div class="recipient-line"><span class="muted">${text}</span>
<span class="recipients">${shown.map((row) => recipientPill(call, row))}${more}</span></div>`;
  })}${
    count > 1 &&
    (isReceived
      ? count > recipients.length && html`<p class="muted">${count} recipients in all</p>`
      : html`<p class="small"><a class="link"
 href="${recipientsPath(id)}">${groupDigits(String(count))} recipients</a></p>`)
  }`;
}

/** Returns the outcome of a message as a whole: the worst state of its recipients. */
export function worstState(recipients: readonly Recipient[]): StateLook | undefined {
  const order = Object.keys(recipientStates);
  const last = Math.max(...recipients.map(({ Status }) => order.indexOf(Status ?? '')), -1);
  const failed = recipients.some(({ Status }) => order.indexOf(Status ?? '') >= order.indexOf('Unknown'));
  const first = Math.min(...recipients.map(({ Status }) => order.indexOf(Status ?? '')).filter((at) => at >= 0));
  return recipientStates[order[failed ? last : first] ?? ''];
}
