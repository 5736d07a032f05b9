import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { toast } from '../design/toast.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText, plainTexts } from '../plain-text.ts';

export const QUEUES_PATH = '/administration/queues';

/** The dead letters of one cause, as `queue/causes` lists them. */
export interface CauseKey {
  readonly Operation: string;
  readonly ErrorCode: string | null;
  readonly Cause: string;
}

/** Returns the address of the page of a cause. */
export function causePath({ Operation, ErrorCode, Cause }: CauseKey): string {
  return `${QUEUES_PATH}/cause?${new URLSearchParams({ Operation, ErrorCode: ErrorCode ?? '', Cause }).toString()}`;
}

/** Returns the address of the page of a queued call. */
export function messagePath(id: string): string {
  return `${QUEUES_PATH}/messages/${id}`;
}

/** Returns the address of the page of a retry. */
export function retryPath(id: number): string {
  return `${QUEUES_PATH}/retries/${id}`;
}

/** Runs the action of a form of these pages. Returns the address that shows the result. */
export async function performAction(call: PageCall): Promise<string> {
  const text = (name: string): string => plainText(call.form[name]);
  const action = text('Action');
  const queue = { QueueName: text('QueueName') };
  const calls = text('Operation') === '' ? {} : { Operation: text('Operation') };
  switch (action) {
    case 'stop':
      await call.call('queue/stop', { ...queue, ...calls, Reason: text('Reason') });
      return `${QUEUES_PATH}?done=${text('Operation') === '' ? 'stop' : 'pause'}`;
    case 'start':
      await call.call('queue/start', { ...queue, ...calls });
      return `${QUEUES_PATH}?done=${text('Operation') === '' ? 'start' : 'resume'}`;
    case 'throttle':
      await call.call('queue/throttle', { ...queue, MessagesPerMinute: text('MessagesPerMinute') });
      return `${QUEUES_PATH}?done=throttle`;
    case 'requeue':
      await call.call('queue/requeue', { ID: [text('ID')] });
      return `${messagePath(text('ID'))}?done=requeue`;
    case 'retryall': {
      const { Operation, ErrorCode, Cause } = causeOfForm(call);
      const sent = { Operation, Cause, ...(ErrorCode !== null && { ErrorCode }) };
      const { answer } = await call.call('queueretry/start', sent);
      return retryPath(answer.row.QueueRetryID);
    }
    case 'discard':
      return discard(call);
    case 'restore':
      await call.call('queue/restore', { DiscardID: text('DiscardID') });
      return `${QUEUES_PATH}?done=restore`;
    case 'cancel':
      await call.call('queue/cancel', { ID: [text('ID')] });
      return `${messagePath(text('ID'))}?done=cancel`;
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Action',
        message: 'Action: expected stop, start, throttle, requeue, retryall, discard, restore or cancel.',
      });
  }
}

/** Discards one message, or all of a cause. The page that follows offers to undo it. */
async function discard(call: PageCall): Promise<string> {
  const ids = plainTexts(call.form['ID']);
  const { Operation, ErrorCode, Cause } = causeOfForm(call);
  const which = ids.length > 0 ? { ID: [...ids] } : { Operation, Cause, ...(ErrorCode !== null && { ErrorCode }) };
  const { answer } = await call.call('queue/discard', { ...which, Reason: plainText(call.form['Reason']) });
  const { DiscardID: id, Discarded: count } = answer.row;
  return `${QUEUES_PATH}?${new URLSearchParams({ done: 'discard', Undo: id, Count: String(count) }).toString()}`;
}

/** Returns the cause that a form or an address names. */
export function causeOf(sent: Readonly<Record<string, unknown>>): CauseKey {
  const code = plainText(sent['ErrorCode']);
  return {
    Operation: plainText(sent['Operation']),
    ErrorCode: code === '' ? null : code,
    Cause: plainText(sent['Cause']),
  };
}

function causeOfForm({ form }: PageCall): CauseKey {
  return causeOf(form);
}

const doneTexts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    stop: 'Queue stopped',
    start: 'Queue started',
    pause: 'Calls paused',
    resume: 'Calls resumed',
    throttle: 'Rate limit saved',
    requeue: 'Back in its queue',
    restore: 'Dead letters restored',
    cancel: 'Call canceled',
  }),
);

/** Returns what was just done, with a way back where there is one. */
export function doneToasts(call: PageCall): readonly Markup[] {
  const done = plainText(call.query['done']);
  const undo = plainText(call.query['Undo']);
  if (done === 'discard' && undo !== '' && call.may('queue/restore')) {
    const count = Math.max(0, Math.trunc(Number(plainText(call.query['Count'])) || 0));
    return [toast({ text: `${count} discarded. The security log has the reason.`, undo: undoForm(call, undo) })];
  }
  const text = doneTexts.get(done);
  return text === undefined ? [] : [toast({ text })];
}

function undoForm(call: PageCall, id: string): Markup {
  return html`<form method="post" action="${QUEUES_PATH}">${csrfField(call)}${hiddenField('DiscardID', id)}
${button({ text: 'Undo', kind: 'quiet', name: 'Action', value: 'restore', attributes: html`data-key="z"` })}</form>`;
}

/** What a form with one button is made of. `fields`: hidden or visible fields that name what it is about. */
interface ActionForm {
  readonly fields: Markup;
  readonly action: string;
  readonly text: string;
  /** What it is about, for screen readers. */
  readonly of?: string;
  readonly kind?: 'primary' | 'plain' | 'quiet';
  readonly key?: string;
}

/** Renders a form with a button that does something to a queue, a message or a cause. */
export function actionForm(call: PageCall, { fields, action, text, of, kind = 'quiet', key }: ActionForm): Markup {
  return html`<form class="inline-form" method="post" action="${QUEUES_PATH}">
${csrfField(call)}${fields}
${button({ text, of, kind, name: 'Action', value: action, ...(key !== undefined && { key }) })}
</form>`;
}

/** Renders the form that pauses an operation's calls in a queue, with a reason for other operators. */
export function pauseMenu(call: PageCall, queue: string, operation: string): Markup {
  return html`<details class="menu"><summary class="button quiet">Pause all like this…</summary>
<form class="menu-entries right discard-form" method="post" action="${QUEUES_PATH}">
${csrfField(call)}${hiddenField('QueueName', queue)}${hiddenField('Operation', operation)}
${textField({
  label: `Why calls of ${operation} wait`,
  name: 'Reason',
  id: 'pause-reason',
  isRequired: true,
  hint: `Other calls in ${queue} run. Nothing is lost.`,
  attributes: html`maxlength="300" autocomplete="off"`,
})}
${button({ text: 'Pause', kind: 'danger', name: 'Action', value: 'stop', of: operation })}
</form></details>`;
}

/** Renders the fields that name a cause. */
export function causeFields({ Operation, ErrorCode, Cause }: CauseKey): Markup {
  return html`${hiddenField('Operation', Operation)}${hiddenField('ErrorCode', ErrorCode ?? '')}${hiddenField(
    'Cause',
    Cause,
  )}`;
}

/** Renders the form that discards dead letters, with a reason. `id`: unique on the page. */
export function discardMenu(
  call: PageCall,
  fields: Markup,
  { id, text, of }: { readonly id: string; readonly text: string; readonly of?: string },
): Markup {
  return html`<details class="menu"><summary class="button quiet">${text}…${
    of !== undefined && html`<span class="hidden"> ${of}</span>`
  }</summary>
<form class="menu-entries right discard-form" method="post" action="${QUEUES_PATH}">
${csrfField(call)}${fields}
${textField({
  label: 'Reason for discarding',
  name: 'Reason',
  id: `reason-${id}`,
  isRequired: true,
  attributes: html`maxlength="300" autocomplete="off"`,
})}
${button({ text, kind: 'danger', name: 'Action', value: 'discard', of })}
</form></details>`;
}
