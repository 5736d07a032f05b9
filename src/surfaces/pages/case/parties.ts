import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import { recordPath } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';

/** Contacts that the page of a case shows, and their numbers and addresses. */
const CONTACTS_MAX = 30;
const METHODS_MAX = 200;

type Contact = RowNamed<'Contact'>;
type Method = RowNamed<'ContactMethod'>;

/** The people and firms around a case. */
export interface Parties {
  readonly contacts: readonly Contact[];
  readonly methods: ReadonlyMap<number, readonly Method[]>;
}

/** Reads the contacts of a case and of its loan, borrowers first. */
export async function readParties(call: PageCall, record: RecordType, id: number): Promise<Parties> {
  if (!call.may('contact/search')) return { contacts: [], methods: new Map() };
  const { answer } = await call.callBelow(`${record.module}/${id}`, 'contact/search', {
    OrderBy: 'Sequence',
    DisplaySize: CONTACTS_MAX,
    RecordCount: 'false',
  });
  const order = (row: Contact): number => (isBorrower(row) ? 0 : 1);
  const contacts = [...answer.rows]
    .filter(({ ParentContactID }) => ParentContactID === null)
    .sort((a, b) => order(a) - order(b));
  if (contacts.length === 0 || !call.may('contactmethod/search')) return { contacts, methods: new Map() };
  const { answer: found } = await call.call('contactmethod/search', {
    ContactID: contacts.map(({ ContactID }) => String(ContactID)),
    DisplaySize: METHODS_MAX,
    RecordCount: 'false',
  });
  return { contacts, methods: Map.groupBy(found.rows, ({ ContactID }) => ContactID) };
}

/** Whether a contact is a borrower: contacts of the loan itself are, unless they have another role. */
export function isBorrower({ BorrowerType, ContactType, Object: parent }: Contact): boolean {
  if (BorrowerType !== null) return true;
  return /borrower|debtor/i.test(ContactType ?? '')
    ? !isAttorney(ContactType)
    : parent === 'Loan' && ContactType === null;
}

function isAttorney(type: string | null): boolean {
  return /attorney|counsel|lawyer/i.test(type ?? '');
}

/** Whether an attorney represents the borrowers, so that only the attorney may be written to. */
export function isRepresented({ contacts }: Parties): boolean {
  return contacts.some(({ ContactType }) => isAttorney(ContactType));
}

/** Returns the borrowers' names as a title: "Delgado, Marisol and Hector"; undefined without borrowers. */
export function borrowerTitle({ contacts }: Parties): string | undefined {
  const borrowers = contacts.filter(isBorrower);
  const groups = [...Map.groupBy(borrowers, ({ LastName, ContactID }) => LastName ?? `#${ContactID}`).values()];
  const names = groups.flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    if (first.LastName === null || first.LastName === '') return [contactName(first)];
    const given = group.map(({ FirstName }) => FirstName ?? '').filter((name) => name !== '');
    return [given.length === 0 ? first.LastName : `${first.LastName}, ${given.join(' and ')}`];
  });
  return names.length === 0 ? undefined : names.join('; ');
}

/** Returns the name of a contact: of a person, else of the company. */
export function contactName({ FirstName, LastName, Company, ContactID }: Contact): string {
  const name = [FirstName, LastName].filter((part) => part !== null && part !== '').join(' ');
  return name || (Company ?? '') || `Contact ${ContactID}`;
}

function roleOf(contact: Contact): string {
  if (contact.BorrowerType === 'Secondary') return 'Co-borrower';
  if (isBorrower(contact)) return 'Borrower';
  return contact.ContactType ?? '';
}

/** Renders the people of a case. The warning is beside the numbers, because that is where a call begins. */
export function partiesPanel(call: PageCall, parties: Parties): Markup {
  const { contacts } = parties;
  if (contacts.length === 0) return html`<p class="muted">No contacts</p>`;
  return html`${contacts.map((contact) => party(call, contact, parties))}
${isRepresented(parties) && representedNote()}`;
}

function representedNote(): Markup {
  return html`<p class="case-note">${icon('info', 14)}<span>Represented by an attorney. Write to the attorney
 only.</span></p>`;
}

function party(call: PageCall, contact: Contact, { methods }: Parties): Markup {
  const id = contact.ContactID;
  const own = (methods.get(id) ?? []).filter(({ ContactValue }) => (ContactValue ?? '') !== '');
  const name = html`<bdi>${contactName(contact)}</bdi>`;
  const shown = call.may('contact/select') ? html`<a href="${recordPath('contact', id)}">${name}</a>` : name;
  const language = contact.SpokenLanguage;
  return html`<div class="party">
<p class="row"><b class="cut">${shown}</b><span class="muted small end nowrap">${roleOf(contact)}</span></p>
${own.map(method)}
${language !== null && language !== '' && html`<p class="small muted">Speaks ${language}</p>`}
</div>`;
}

function method({ MethodType: type, ContactValue: value }: Method): Markup {
  const text = value ?? '';
  const isMail = /mail/i.test(type ?? '');
  const isPhone = /phone|mobile|cell|home|work|fax/i.test(type ?? '');
  const kind = html`<span class="hidden">${type} </span>`;
  if (isMail) return methodLink(`mailto:${text}`, html`${icon('message', 12)}${kind}<bdi>${text}</bdi>`);
  if (isPhone)
    return methodLink(`tel:${text.replace(/[^\d+]/g, '')}`, html`${icon('phone', 12)}${kind}<bdi>${text}</bdi>`);
  return html`<p class="small cut"><span class="muted">${type}</span> <bdi>${text}</bdi></p>`;
}

function methodLink(href: string, content: Markup): Markup {
  return html`<p class="small cut"><a class="row" href="${href}">${content}</a></p>`;
}
