import { randomUUID } from 'node:crypto';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { isRepresented, readParties, type Parties } from '../case/parties.ts';
import type { PageCall } from '../page-call.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { localDateTime } from '../display-values.ts';
import { backPath, INBOX_PATH } from './message-paths.ts';
import { readThread, type FileRow, type Thread, type ThreadMessage } from './read-thread.ts';

/** Templates and documents that are offered. */
const TEMPLATES_MAX = 200;
const DOCUMENTS_MAX = 40;
/** Characters of a message that an answer quotes. */
const QUOTED_CHARACTERS_MAX = 20_000;
const IDS_MAX = 50;

/** What is being written. */
export interface MailDraft {
  readonly object: string;
  readonly objectId: string;
  /** The message that it answers or forwards; empty for a new conversation. */
  readonly parent: string;
  readonly template: string;
  readonly to: string;
  readonly cc: string;
  readonly bcc: string;
  readonly subject: string;
  readonly body: string;
  /** The text as the template gave it: unchanged, the message has the template's own bodies. */
  readonly merged: string;
  readonly attachmentIds: readonly string[];
  readonly isSecure: boolean;
  /** Where to go once it is sent. */
  readonly back: string;
  /** Identifies the form: sent again, as by a second click, it sends no second message. */
  readonly key: string;
}

/** A template that fits the record. */
export type TemplateRow = Pick<RowNamed<'MessageTemplate'>, 'MessageTemplateID' | 'MessageTemplate' | 'Description'>;

/** Somebody to write to. */
export interface Correspondent {
  readonly name: string;
  readonly role: string;
  readonly address: string;
}

/** What the form of a message offers. */
export interface ComposeData {
  readonly record: RecordType | undefined;
  readonly templates: readonly TemplateRow[];
  readonly correspondents: readonly Correspondent[];
  /** Names of the parties that have no mail address. */
  readonly unreachable: readonly string[];
  /** Whether an attorney represents the borrowers, so that only the attorney may be written to. */
  readonly isRepresented: boolean;
  readonly documents: readonly FileRow[];
  /** The conversation that is answered. */
  readonly thread: Thread | undefined;
}

/** Reads what the form of a message offers. `parties`: those of the case, where they are known already. */
export async function readComposeData(call: PageCall, draft: MailDraft, parties?: Parties): Promise<ComposeData> {
  const record = call.platform.registry.record(draft.object);
  const id = Number(draft.objectId);
  const isFiled = record !== undefined && Number.isSafeInteger(id) && id > 0;
  const [templates, known, documents, thread] = await Promise.all([
    readTemplates(call, record),
    parties ?? (isFiled ? readParties(call, record, id) : undefined),
    isFiled ? readDocuments(call, `${record.module}/${id}`) : [],
    draft.parent === '' ? undefined : readThread(call, Number(draft.parent)),
  ]);
  return {
    record: isFiled ? record : undefined,
    templates,
    correspondents: known ? correspondentsOf(known) : [],
    unreachable: known ? unreachableOf(known) : [],
    isRepresented: known !== undefined && isRepresented(known),
    documents,
    thread,
  };
}

async function readTemplates(call: PageCall, record: RecordType | undefined): Promise<readonly TemplateRow[]> {
  if (!call.may('messagetemplate/search')) return [];
  const applies = ['null'];
  for (let at: RecordType | undefined = record; at; at = at.base) applies.push(`"${at.name}"`);
  const { answer } = await call.call('messagetemplate/search', {
    AppliesTo: applies,
    Status: '<>Inactive',
    VariantOfID: 'null',
    MessageTemplateType: ['null', '"Email"'],
    SqlColumns: 'MessageTemplateID,MessageTemplate,Description',
    OrderBy: 'MessageTemplate',
    DisplaySize: TEMPLATES_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

async function readDocuments(call: PageCall, below: string): Promise<readonly FileRow[]> {
  if (!call.may('attachment/search')) return [];
  const { answer } = await call.callBelow(below, 'attachment/search', {
    OrderBy: '-AttachmentID',
    DisplaySize: DOCUMENTS_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

/** Returns the parties that have a mail address, attorneys first: they are written to most. */
function correspondentsOf({ contacts, methods }: Parties): readonly Correspondent[] {
  const found = contacts.flatMap((contact) => {
    const name = nameOf(contact);
    const role = contact.ContactType ?? (contact.BorrowerType === 'Secondary' ? 'Co-borrower' : 'Borrower');
    return addressesIn(methods.get(contact.ContactID)).map((address) => ({ name, role, address }));
  });
  const isAttorney = ({ role }: Correspondent): boolean => /attorney|counsel|lawyer/i.test(role);
  const ordered = [...found.filter(isAttorney), ...found.filter((each) => !isAttorney(each))];
  // Somebody may be a contact of the loan and of the case.
  const keyOfPerson = ({ name, address }: Correspondent): string => `${name} ${address}`.toLowerCase();
  return [...new Map(ordered.toReversed().map((each) => [keyOfPerson(each), each])).values()].toReversed();
}

function unreachableOf({ contacts, methods }: Parties): readonly string[] {
  const hasAddress = ({ ContactID: id }: Parties['contacts'][number]): boolean =>
    addressesIn(methods.get(id)).length > 0;
  // Somebody may be a contact of the loan and of the case, with an address at one of them.
  const reachable = new Set(contacts.filter(hasAddress).map(nameOf));
  return [...new Set(contacts.map(nameOf))].filter((name) => name !== '' && !reachable.has(name));
}

function nameOf({ FirstName, LastName, Company }: Parties['contacts'][number]): string {
  return [FirstName, LastName].filter(Boolean).join(' ') || (Company ?? '');
}

function addressesIn(methods: ReturnType<Parties['methods']['get']>): readonly string[] {
  return (methods ?? []).flatMap(({ MethodType, ContactValue }) =>
    /mail/i.test(MethodType ?? '') && (ContactValue ?? '').includes('@') ? [(ContactValue ?? '').trim()] : [],
  );
}

/** Returns an address with its name, as a mail program writes it. */
export function writtenAddress({ name, address }: Pick<Correspondent, 'name' | 'address'>): string {
  if (name === '' || name === address) return address;
  return /^[\p{L}\p{N} .'-]+$/u.test(name) ? `${name} <${address}>` : `"${name.replace(/["\\]/g, '')}" <${address}>`;
}

/** Returns what a form sent. */
export function draftOfForm({ form }: PageCall): MailDraft {
  const text = (name: string): string => plainText(form[name]);
  const number = (name: string): string => text(name).replaceAll(/\D/g, '').slice(0, 15);
  return {
    object: text('Object'),
    objectId: number('ObjectID'),
    parent: number('ParentMessageID'),
    template: text('Template'),
    to: text('ToAddress'),
    cc: text('CcAddress'),
    bcc: text('BccAddress'),
    subject: text('Subject'),
    body: text('BodyText').replace(/\r\n?/g, '\n'),
    merged: text('Merged').replace(/\r\n?/g, '\n'),
    attachmentIds: plainTexts(form['AttachmentID'])
      .filter((id) => /^\d{1,15}$/.test(id))
      .slice(0, IDS_MAX),
    isSecure: text('SecureDelivery') === 'true',
    back: backPath(text('Back')),
    key: keyOf(text('Key')),
  };
}

/** Returns the key of a form, or a new one if it has none that could be ours. */
function keyOf(sent: string): string {
  return /^[\da-f-]{36}$/.test(sent) ? sent : randomUUID();
}

/** Returns what a new message begins with, as the address says: a record, or a message to answer or forward. */
export async function draftOfAddress(call: PageCall): Promise<MailDraft> {
  const text = (name: string): string => plainText(call.query[name]);
  const number = (name: string): string => text(name).replaceAll(/\D/g, '').slice(0, 15);
  const draft: MailDraft = {
    object: text('Object'),
    objectId: number('ObjectID'),
    parent: '',
    template: '',
    to: text('To').slice(0, 2000),
    cc: '',
    bcc: '',
    subject: '',
    body: '',
    merged: '',
    attachmentIds: [],
    isSecure: false,
    back: backPath(text('Back') || INBOX_PATH),
    key: randomUUID(),
  };
  const kind = (['Reply', 'ReplyAll', 'Forward'] as const).find((name) => number(name) !== '');
  return kind === undefined ? draft : answerDraft(call, draft, kind, Number(number(kind)));
}

async function answerDraft(
  call: PageCall,
  draft: MailDraft,
  kind: 'Reply' | 'ReplyAll' | 'Forward',
  id: number,
): Promise<MailDraft> {
  const thread = await readThread(call, id);
  const message = thread.messages.find(({ row }) => row.MessageID === id);
  if (!message) return draft;
  const { row, files } = message;
  const subject = (row.Message ?? '').trim();
  const isForward = kind === 'Forward';
  return {
    ...draft,
    object: row.Object ?? '',
    objectId: row.ObjectID === null ? '' : String(row.ObjectID),
    parent: String(id),
    ...(isForward ? {} : addressesOf(message, kind === 'ReplyAll')),
    subject: prefixed(isForward ? 'Fwd' : 'Re', subject),
    body: quoteOf(call, message),
    attachmentIds: isForward ? files.map(({ AttachmentID }) => String(AttachmentID)) : [],
  };
}

/** Returns the recipients of an answer: the sender of a received message, or the recipients of one of ours. */
function addressesOf({ row, recipients, isReceived }: ThreadMessage, isToAll: boolean): Pick<MailDraft, 'to' | 'cc'> {
  const own = (category: number): string[] =>
    recipients
      .filter((each) => (each.Category ?? 0) === category)
      .map(({ Name, Address }) => writtenAddress({ name: Name ?? '', address: Address ?? '' }));
  const sender = writtenAddress({ name: row.FromName ?? '', address: row.FromAddress ?? '' });
  const replyTo = own(3);
  const answered = replyTo.length > 0 ? replyTo : [sender];
  const to = isReceived ? answered : own(0);
  if (!isToAll) return { to: to.join(', '), cc: '' };
  const others = isReceived ? own(0).filter((address) => !to.includes(address)) : [];
  return { to: [...to, ...others].join(', '), cc: own(1).join(', ') };
}

function prefixed(prefix: string, subject: string): string {
  return subject.toLowerCase().startsWith(`${prefix.toLowerCase()}:`) ? subject : `${prefix}: ${subject}`;
}

/** Returns a message as an answer quotes it. */
function quoteOf(call: PageCall, { row, at }: ThreadMessage): string {
  const who = (row.FromName ?? '') || (row.FromAddress ?? '') || 'we';
  const lines = (row.BodyText ?? '').slice(0, QUOTED_CHARACTERS_MAX).replace(/\r\n?/g, '\n').trimEnd().split('\n');
  return `\n\nOn ${localDateTime(call, at)}, ${who} wrote:\n${lines.map((line) => `> ${line}`).join('\n')}\n`;
}
