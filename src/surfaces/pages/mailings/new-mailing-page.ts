import { MAIL_CLASSES, MAIL_HOUSE } from '../../../contracts/delivery.ts';
import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { checkbox, recordField, selectField, textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { plural } from '../due-words.ts';
import { hiddenField } from '../components.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { addressLine, amount } from './letter-table.ts';

type PlannedLetter = AnswerRowFor<'delivery/prepare'>;

const RECIPIENTS = ['Primary borrower', 'All borrowers'] as const;

/** What a mailing is prepared from, as the form sends it. */
interface Request {
  readonly AttachmentID: string;
  readonly Recipient: (typeof RECIPIENTS)[number];
  readonly MailClass: (typeof MAIL_CLASSES)[number];
  readonly MailHouse: string;
  readonly ContactID: string;
  readonly Name: string;
  readonly SkipIncomplete: boolean;
  readonly AllowReturned: boolean;
}

/** Shows what would be mailed to whom, with pages and cost, before anything is stored. */
export const newMailingPage = page((call) => previewAnswer(call, readRequest(call.query)));

/** Prepares the mailing, or shows it again with other choices. */
export const prepareMailing = page(async (call) => {
  const request = readRequest(call.form);
  if (plainText(call.form['Step']) !== 'prepare') return previewAnswer(call, request);
  try {
    const { answer } = await call.call('delivery/prepare', { ...sent(request), Key: plainText(call.form['Key']) });
    return { redirectTo: `/mailings/${answer.rows[0]?.DeliveryBatchID ?? ''}?done=prepared` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return previewAnswer(call, request, error.masked());
  }
});

function readRequest(from: PageCall['form']): Request {
  const text = (name: string): string => plainText(from[name]);
  return {
    AttachmentID: text('AttachmentID').replaceAll(/[^\d,]/g, ''),
    Recipient: RECIPIENTS.find((one) => one === text('Recipient')) ?? 'Primary borrower',
    MailClass: MAIL_CLASSES.find((one) => one === text('MailClass')) ?? 'First class',
    MailHouse: text('MailHouse'),
    ContactID: text('ContactID').replaceAll(/\D/g, ''),
    Name: text('Name').slice(0, 255),
    SkipIncomplete: text('SkipIncomplete') === 'true',
    AllowReturned: text('AllowReturned') === 'true',
  };
}

function sent({ MailHouse, ContactID, Name, ...request }: Request) {
  return {
    ...request,
    ...(MailHouse !== '' && { MailHouse }),
    ...(ContactID !== '' && { ContactID }),
    ...(Name !== '' && { Name }),
  };
}

async function previewAnswer(call: PageCall, request: Request, refused?: PlatformError): Promise<PageAnswer> {
  const { letters, problem } = await preview(call, request);
  const bad = letters.filter(({ Problem }) => (Problem ?? null) !== null);
  const good = letters.length - bad.length;
  const canPrepare = good > 0 && (bad.length === 0 || request.SkipIncomplete);
  const error = refused ?? problem;
  return {
    title: 'Mail documents',
    place: 'documents',
    crumbs: [{ text: 'Mailings', href: '/records/deliverybatch' }, { text: 'Mail documents' }],
    ...(error && { status: error.status }),
    body: html`<div class="page wide mailing"><div class="page-head"><div class="grow"><h1>Mail documents</h1>
<p class="soft">${
      letters.length > 0 &&
      html`${plural(good, 'letter')} can be mailed${
        bad.length > 0 && html`, <b>${plural(bad.length, 'letter')} cannot</b>`
      }. Estimated cost ${totalCost(letters)}. `
    }Nothing leaves before you submit the mailing.</p></div></div>
${error && banner({ tone: 'danger', text: error.message, role: 'alert' })}
<form class="form entry" method="post" action="/mailings/new">${csrfField(call)}${hiddenField(
      'AttachmentID',
      request.AttachmentID,
    )}${hiddenField('Key', keyOf(call))}
<div class="mailing-choices">${choices(call, request)}</div>
<div class="row wrap">${
      canPrepare
        ? button({ text: `Prepare ${plural(good, 'letter')}`, kind: 'primary', name: 'Step', value: 'prepare' })
        : html`<span class="small soft" id="why">${
            good === 0 ? 'No letter can be mailed yet.' : 'Correct the addresses, or leave these letters out.'
          }</span>`
    }${button({ text: 'Check again', name: 'Step', value: 'check' })}</div></form>
${letters.length > 0 && letterPreview([...bad, ...mailable(letters)])}</div>`,
  };
}

async function preview(
  call: PageCall,
  request: Request,
): Promise<{ readonly letters: readonly PlannedLetter[]; readonly problem?: PlatformError }> {
  try {
    const { answer } = await call.call('delivery/prepare', { ...sent(request), Preview: true });
    return { letters: answer.rows };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { letters: [], problem: error.masked() };
  }
}

/** The form's key: sent twice, it prepares one mailing. */
function keyOf(call: PageCall): string {
  const known = plainText(call.form['Key']);
  return known === '' ? call.correlationId.slice(0, 100) : known;
}

function choices(call: PageCall, request: Request): Markup {
  const choice = (value: string) => ({ value, text: value });
  const houses = call.platform.providers.names(MAIL_HOUSE);
  const { Name, Recipient, MailClass, MailHouse, ContactID, SkipIncomplete, AllowReturned } = request;
  const recipients = RECIPIENTS.map(choice);
  const house = { label: 'Mail house', name: 'MailHouse', value: MailHouse, choices: houses.map(choice) };
  return html`${textField({ label: 'Name of the mailing', name: 'Name', value: Name, isRequired: false })}
${selectField({ label: 'To', name: 'Recipient', value: Recipient, choices: recipients })}
${selectField({ label: 'Mail class', name: 'MailClass', value: MailClass, choices: MAIL_CLASSES.map(choice) })}
${houses.length > 1 && selectField(house)}
${recordField({
  label: 'Or to this contact',
  name: 'ContactID',
  type: 'Contact',
  value: ContactID,
  isRequired: false,
  hint: 'Type the beginning of the name.',
})}
<div class="stack">${checkbox({
    label: 'Leave out letters that can’t be mailed',
    name: 'SkipIncomplete',
    isChecked: SkipIncomplete,
  })}
${checkbox({ label: 'Mail to returned addresses, too', name: 'AllowReturned', isChecked: AllowReturned })}</div>`;
}

function mailable(letters: readonly PlannedLetter[]): readonly PlannedLetter[] {
  return letters.filter(({ Problem }) => (Problem ?? null) === null);
}

function totalCost(letters: readonly PlannedLetter[]): Markup {
  const good = mailable(letters);
  const cents = good.reduce((sum, { Cost }) => sum + Math.round(Number(Cost) * 100), 0);
  return amount(good.some(({ Cost }) => (Cost ?? null) !== null) ? (cents / 100).toFixed(2) : null);
}

function letterPreview(letters: readonly PlannedLetter[]): Markup {
  const line = (
    row: PlannedLetter,
  ): Markup => html`<tr><th scope="row"><bdi>${row.RecipientName ?? 'No recipient'}</bdi>
<span class="small muted address"><bdi>${addressLine(row)}</bdi></span></th>
<td><bdi>${row.Delivery}</bdi></td>
<td>${check(row.Problem ?? null)}</td>
<td class="number">${row.Pages ?? ''}</td><td class="number">${amount(row.Cost ?? null)}</td></tr>\n`;
  return table({
    label: 'Letters of the mailing',
    className: 'letters',
    heads: ['To', 'Document', 'Check', { text: 'Pages', isNumber: true }, { text: 'Cost', isNumber: true }],
    rows: letters.map(line),
  });
}

function check(problem: string | null): Markup {
  if (problem === null) return badge('Can be mailed', 'ok');
  return html`${badge('Cannot be mailed', 'danger')}<span class="small soft address"><bdi>${problem}</bdi></span>`;
}
