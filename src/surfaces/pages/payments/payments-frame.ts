import type { HtmlValue, Markup } from '../../../kernel/render/markup.ts';
import { html } from '../../../kernel/render/markup.ts';
import type { OperationName } from '../../../kernel/declare/catalog.ts';
import { tabs } from '../design/tabs.ts';
import type { PageCall, ShownPage } from '../page-call.ts';

/** The pages of payments, each with the operation without which nobody is offered it. */
const pages: readonly { readonly path: string; readonly text: string; readonly needs: OperationName }[] = [
  { path: '/payments', text: 'Payments', needs: 'payment/search' },
  { path: '/payments/subscriptions', text: 'Subscriptions', needs: 'paymentsubscription/search' },
  { path: '/payments/disputes', text: 'Disputes', needs: 'paymentdispute/search' },
  { path: '/payments/reconciliation', text: 'Reconciliation', needs: 'paymentdifference/search' },
];

/** A page of payments. */
interface PaymentsPage extends Pick<ShownPage, 'toasts' | 'entries' | 'status'> {
  readonly title: string;
  /** The address of its tab. */
  readonly path: string;
  /** One sentence below the title. */
  readonly intro?: HtmlValue;
  readonly actions?: HtmlValue;
  readonly body: Markup;
}

/** Returns a page below the tabs of payments. */
export function paymentsAnswer(call: PageCall, parts: PaymentsPage): ShownPage {
  const { title, path, intro, actions, body, ...rest } = parts;
  const isFirst = path === '/payments';
  const shown = pages.filter(({ needs, path: each }) => call.may(needs) && (call.user.universal || isForFirms(each)));
  return {
    ...rest,
    title,
    place: 'payments',
    crumbs: isFirst ? [{ text: 'Payments' }] : [{ text: 'Payments', href: '/payments' }, { text: title }],
    body: html`<div class="page wide payments">
${tabs(
  'Payments',
  shown.map((each) => ({ href: each.path, text: each.text, isCurrent: each.path === path })),
)}
<header class="page-head"><h1>${title}</h1>${
      actions !== undefined && html`<div class="row wrap">${actions}</div>`
    }</header>
${intro !== undefined && html`<p class="soft">${intro}</p>`}
${body}
</div>`,
  };
}

/** Whether firms have rows there: what a gateway has of all firms together is for staff. */
function isForFirms(path: string): boolean {
  return path !== '/payments/reconciliation';
}
