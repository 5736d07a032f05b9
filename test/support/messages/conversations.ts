/**
 * Conversations by mail that are easily filed wrongly: changed subjects, forwarded threads, two firms with one subject,
 * quoted numbers, forged references, missing headers. The same seed gives the same conversations.
 */
import { seeded } from '../processes/kill.ts';
import type { SampleMail } from './sample-mail.ts';

/** The firms whose cases and mailboxes there are. */
export const firms = ['Alpha', 'Beta'] as const;
/** One of {@link firms}. */
export type Firm = (typeof firms)[number];

/** Where a mail arrives, and on which case it belongs: null for one that only a person can file. */
export interface ExpectedMail {
  /** `Unchecked`: one of the installation whose server checks no senders. */
  readonly mailbox: Firm | 'Own' | 'Unchecked';
  /** Sent to the signed reply address of the conversation's first message. */
  readonly isToToken?: true;
  readonly mail: SampleMail & { readonly messageId: string };
  readonly belongsTo: string | null;
}

/** A case with a message that was sent from it, and the mails that arrive. */
export interface Conversation {
  readonly kind: string;
  readonly firm: Firm;
  /** The number of the case. */
  readonly number: string;
  /** The address of a contact of the case. */
  readonly contact: string;
  readonly sent: { readonly subject: string; readonly to: readonly string[]; readonly mailId: string };
  readonly mails: readonly ExpectedMail[];
}

/** What a kind of conversation is made from. */
interface Draft extends Omit<Conversation, 'kind' | 'mails'> {
  readonly n: number;
  /** Another conversation of the same firm, and one of the other firm, both before this one. */
  readonly sibling: Conversation | undefined;
  readonly foreign: Conversation | undefined;
  readonly pick: <T>(list: readonly T[]) => T;
}

const subjects = [
  'Payoff figures for your loan',
  'Reinstatement quote',
  'Documents that we still need',
  'Monthly statement of account',
  'Notice of hearing',
  'Your inspection report',
] as const;
const replies = ['Re', 'RE', 'AW', 'Antw', 'SV', 'Re[2]'] as const;
const forwards = ['Fwd', 'FW', 'WG', 'TR'] as const;
const tags = ['', '[EXTERNAL] ', '[Ticket#4711] ', ''] as const;

type MailsOf = (draft: Draft) => readonly ExpectedMail[];

const id = ({ n }: Draft, which: string): string => `c${n}-${which}@mail.example`;

/** Returns an answer of the contact to the message that was sent. */
function answer(draft: Draft, more: Partial<SampleMail> = {}, which = 'answer'): ExpectedMail {
  const { firm, number, contact, sent, pick } = draft;
  return {
    mailbox: firm,
    belongsTo: number,
    mail: {
      from: `Contact <${contact}>`,
      subject: `${pick(replies)}: ${pick(tags)}${sent.subject}`,
      inReplyTo: sent.mailId,
      references: [sent.mailId],
      text: `Answer ${draft.n} ${which}`,
      ...more,
      messageId: id(draft, which),
    },
  };
}

/** Returns a mail like {@link answer} of which nothing may be concluded. */
const uncertain = (draft: Draft, more: Partial<SampleMail>, which = 'answer'): ExpectedMail => ({
  ...answer(draft, more, which),
  belongsTo: null,
});

const withoutHeaders = { inReplyTo: undefined, references: undefined } as unknown as Partial<SampleMail>;
const stranger = (n: number): string => `stranger${n}@elsewhere.example`;

/** The kinds of conversations; each says which mails come, and where they belong. */
const kinds: Readonly<Record<string, MailsOf>> = {
  'a plain answer': (draft) => [answer(draft)],
  'a changed subject': (draft) => [answer(draft, { subject: `Question ${draft.n}` })],
  'only References': (draft) => [answer(draft, { inReplyTo: undefined } as unknown as Partial<SampleMail>)],
  'only In-Reply-To': (draft) => [answer(draft, { references: undefined } as unknown as Partial<SampleMail>)],
  'an answer to an answer': (draft) => [
    answer(draft, {}, 'first'),
    answer(draft, { inReplyTo: id(draft, 'first'), references: [id(draft, 'first')] }, 'second'),
  ],
  'an answer to a mail that never came': (draft) => [
    answer(draft, { inReplyTo: id(draft, 'lost'), references: [draft.sent.mailId, id(draft, 'lost')] }, 'first'),
    answer(draft, { inReplyTo: id(draft, 'lost'), references: [id(draft, 'lost')] }, 'second'),
  ],
  'missing headers, and a number that the contact may name': (draft) => [
    answer(draft, { ...withoutHeaders, subject: `${draft.pick(replies)}: case ${draft.number}` }),
  ],
  'missing headers and no number': (draft) => [uncertain(draft, withoutHeaders)],
  'no sender, no ID, no date': (draft) => [uncertain(draft, { ...withoutHeaders, from: null, date: null })],
  'a number that a stranger names': (draft) => [
    uncertain(draft, { ...withoutHeaders, from: stranger(draft.n), subject: `About ${draft.number}` }),
  ],
  'a thread that a stranger forwards': (draft) => [
    uncertain(draft, { from: stranger(draft.n), subject: `${draft.pick(forwards)}: ${draft.sent.subject}` }),
  ],
  'forged references': (draft) => [uncertain(draft, { from: stranger(draft.n) })],
  'a colleague answers': (draft) => [
    answer(draft, { from: `Colleague <colleague${draft.n}@${draft.contact.split('@')[1] ?? ''}>` }),
  ],
  'the address that was signed for the answer': (draft) => [
    { ...answer(draft, { ...withoutHeaders, from: stranger(draft.n), subject: 'Something else' }), isToToken: true },
  ],
  'an answer in the mailbox of the installation': (draft) => [{ ...answer(draft), mailbox: 'Own' }],
  "a stranger in the installation's mailbox": (draft) => [
    { ...uncertain(draft, { from: stranger(draft.n) }), mailbox: 'Own' },
  ],
  "references to another firm's conversation": (draft) =>
    draft.foreign === undefined
      ? [answer(draft)]
      : [
          uncertain(draft, {
            from: draft.foreign.contact,
            inReplyTo: draft.foreign.sent.mailId,
            references: [draft.foreign.sent.mailId],
            subject: `Re: ${draft.foreign.sent.subject}`,
          }),
        ],
  "an answer that also refers to another firm's conversation": (draft) => [
    answer(draft, { references: [...(draft.foreign ? [draft.foreign.sent.mailId] : []), draft.sent.mailId] }),
  ],
  "another firm's number in the subject": (draft) => [
    uncertain(draft, {
      ...withoutHeaders,
      subject: `Re: ${draft.foreign?.number ?? 'nothing'}`,
      from: draft.foreign?.contact ?? draft.contact,
    }),
  ],
  'a quoted number of another case': (draft) => [
    answer(draft, { subject: `Re: ${draft.sent.subject} (as in ${draft.sibling?.number ?? 'no other case'})` }),
  ],
  'an answer that was not checked, where the server checks senders': (draft) => [
    uncertain(draft, { authentication: null }),
  ],
  'an answer where nobody checks senders': (draft) => [
    { ...answer(draft, { authentication: null }), mailbox: 'Unchecked' },
  ],
  'an answer where nobody checks senders, which failed the check of another server': (draft) => [
    { ...uncertain(draft, { authentication: 'relay.example; dmarc=fail' }), mailbox: 'Unchecked' },
  ],
  'an answer to the message of another, where nobody checks senders': (draft) => [
    {
      ...uncertain(draft, {
        authentication: null,
        inReplyTo: draft.sibling?.sent.mailId ?? `unknown-${draft.n}@cases.example`,
        references: [],
      }),
      mailbox: 'Unchecked',
    },
  ],
  'a stranger who knows the ID of a message, where nobody checks senders': (draft) => [
    { ...uncertain(draft, { authentication: null, from: stranger(draft.n) }), mailbox: 'Unchecked' },
  ],
  'an ID that another mail has too': (draft) => [
    answer(draft, {}, 'same'),
    answer(draft, { text: 'Another text with the same ID.' }, 'same'),
  ],
};

/** Returns conversations of all kinds in turn, half of them of each firm. */
export function conversations(count: number, seed: number): readonly Conversation[] {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const names = Object.keys(kinds);
  const all: Conversation[] = [];
  for (let n = 0; n < count; n++) {
    const kind = names[n % names.length] as string;
    const firm = pick(firms);
    const of = (other: boolean): Conversation | undefined => all.findLast((each) => (each.firm !== firm) === other);
    const contact = `contact${n}@office${n}.example`;
    const base = {
      firm,
      number: `FC-${firm.slice(0, 1)}-${100_000 + n * 7}`,
      contact,
      // Few subjects: both firms have every one of them.
      sent: { subject: pick(subjects), to: [contact], mailId: `sent-${n}@cases.example` },
    };
    const mails = kinds[kind]?.({ ...base, n, pick, sibling: of(false), foreign: of(true) }) ?? [];
    all.push({ kind, ...base, mails });
  }
  return all;
}
