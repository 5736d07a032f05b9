import type { Platform } from '../../kernel/ports/platform.ts';
import {
  createDemoMailbox,
  storeDemoMail,
  type DemoMail,
  type DemoRecipient,
} from '../../modules/messages/public/demo-mail.ts';
import type { Stage } from './play-case.ts';

const HOUR = 3_600_000;
const OFFICE = 'office@harlan-pryce.example';
/** Most cases that have mail. */
const CASES = 4;

interface Template {
  readonly name: string;
  readonly language?: string;
  readonly subject: string;
  readonly text: string;
}

/** The templates of the demo; the second is the first in another language. */
const templates: readonly Template[] = [
  {
    name: 'Reinstatement figures',
    subject: 'Reinstatement figures for loan {Loan}',
    text:
      'The amount that brings the loan {Loan} current is attached.\n\n' +
      'It is good for ten days. If you have questions, reply to this email.\n',
  },
  {
    name: 'Reinstatement figures Spanish',
    language: 'Spanish',
    subject: 'Importe para poner al día el préstamo {Loan}',
    text:
      'Adjuntamos el importe necesario para poner al día el préstamo {Loan}.\n\n' +
      'Es válido durante diez días. Para preguntas, responda a este correo.\n',
  },
];

/** A mail of a conversation: from a colleague to somebody, or an answer. */
interface PlayedMail {
  readonly hoursAgo: number;
  readonly text: string;
  /** Who answers; without it the mail is ours. */
  readonly from?: readonly [name: string, address: string];
  readonly to?: readonly DemoRecipient[];
  readonly isUnread?: true;
}

interface Conversation {
  readonly subject: string;
  readonly mails: readonly PlayedMail[];
}

const ROWE = ['Anita Rowe', 'a.rowe@rowe-legal.example'] as const;
const COURT = ['Clerk of the court', 'filings@county-clerk.example'] as const;
const ABSTRACT = ['Larkfield Abstract', 'orders@larkfield.example'] as const;

/** What is written on the first cases, one conversation each. */
const conversations: readonly Conversation[] = [
  {
    subject: 'Loss mitigation package: two items missing',
    mails: [
      {
        hoursAgo: 51,
        text:
          'Dear Ms. Rowe,\n\nwe still need the October pay stubs and a signed Form 4506-C, so that the package is ' +
          'complete before the hearing.\n\nDana Okafor',
        to: [
          { address: ROWE[1], name: ROWE[0], status: 'Read' },
          { address: 'j.park@rowe-legal.example', name: 'Jo Park', status: 'Delivered' },
        ],
      },
      {
        hoursAgo: 27,
        from: ROWE,
        text:
          'Ms. Okafor,\n\nyou will have the pay stubs tomorrow. My client signs the form today.\n\nAnita Rowe\n\n' +
          'On Monday, Dana Okafor wrote:\n> we still need the October pay stubs and a signed Form 4506-C',
      },
      {
        hoursAgo: 3,
        from: ROWE,
        isUnread: true,
        text:
          'Ms. Okafor,\n\nboth are ready. Please confirm that the sale is on hold while you review them.\n\n' +
          'Anita Rowe',
      },
    ],
  },
  {
    subject: 'Order of publication',
    mails: [
      {
        hoursAgo: 76,
        from: COURT,
        text: 'The order of publication was entered today. A copy is available at the counter.',
      },
    ],
  },
  {
    subject: 'Title update before the sale',
    mails: [
      {
        hoursAgo: 30,
        text: 'Please bring the title report down to date before the sale.\n\nDana Okafor',
        to: [{ address: ABSTRACT[1], name: ABSTRACT[0], status: 'Delivered' }],
      },
      { hoursAgo: 22, from: ABSTRACT, text: 'Ordered. You will have it within three business days.' },
    ],
  },
  {
    subject: 'Reinstatement figures',
    mails: [
      {
        hoursAgo: 8,
        text: 'The amount that brings the loan current is attached. It is good for ten days.\n\nDana Okafor',
        to: [
          {
            address: 'borrower.mailbox@old-provider.example',
            name: 'Borrower',
            status: 'Bounced',
            detail: '550 5.1.1 There is no such mailbox here.',
          },
        ],
      },
    ],
  },
];

/**
 * Gives the demo's clerk mail on some cases: conversations with answers, one of them unread, a mail that bounced, and
 * two that wait to be filed. Nothing is sent: the mails are stored as they would have been.
 */
export async function fillMailbox({ store }: Platform, { cast, clock }: Stage): Promise<void> {
  const clerk = cast.byTeam.get('Intake')?.[0];
  const mailboxId = clerk && (await createDemoMailbox(store, OFFICE));
  if (!clerk || mailboxId === undefined) return;
  await createTemplates(cast.analyst);
  const cases = await casesOf(clerk);
  const at = (hours: number): string => new Date(clock.milliseconds() - hours * HOUR).toISOString();
  for (const [index, { subject, mails }] of conversations.entries()) {
    const caseId = cases[index % cases.length];
    let threadId: number | undefined;
    for (const { hoursAgo, text, from, to = [{ address: OFFICE }], isUnread } of mails) {
      const id = await storeDemoMail(store, mailboxId, {
        subject: threadId === undefined ? subject : `Re: ${subject}`,
        text,
        at: at(hoursAgo),
        caseId,
        threadId,
        ...(from ? { fromName: from[0], fromAddress: from[1] } : { personId: clerk.personId }),
        recipients: to,
        readBy: isUnread ? [] : [clerk.personId],
      });
      threadId ??= id;
    }
  }
  const last = cases.at(-1);
  const about = last === undefined ? undefined : await numberOf(clerk, last);
  await storeDemoMail(store, mailboxId, {
    subject: about ? `Payoff letter for ${about.number}, please` : 'Payoff letter, please',
    text: 'Please send the payoff good through the end of the month. We close next Friday.\n\nLee Chan',
    at: at(2),
    proposed: about,
    fromName: 'Lee Chan',
    fromAddress: 'lee.chan@closing-desk.example',
    recipients: [{ address: OFFICE }],
    readBy: [],
  });
  await storeDemoMail(store, mailboxId, {
    subject: 'Your conference badge',
    text: 'Your badge for the servicing conference is ready. Bring it with you on the first day.',
    at: at(4),
    fromName: 'Servicing Conference',
    fromAddress: 'badges@servicing-conference.example',
    recipients: [{ address: OFFICE }],
    readBy: [],
  });
}

async function numberOf(clerk: Stage['cast']['admin'], caseId: number): Promise<DemoMail['proposed']> {
  const { row } = await clerk.call('foreclosure/select', { ID: caseId });
  return row.Foreclosure === null ? undefined : { caseId, number: row.Foreclosure };
}

/** Returns the cases that the clerk follows, then other open ones. */
async function casesOf(clerk: Stage['cast']['admin']): Promise<readonly number[]> {
  const { rows: followed } = await clerk.call('follow/mine', {});
  const { rows: open } = await clerk.call('foreclosure/search', {
    Status: 'Open',
    OrderBy: '-ForeclosureID',
    DisplaySize: CASES,
    SqlColumns: 'ForeclosureID',
    RecordCount: false,
  });
  const own = followed.filter(({ Object: object }) => object === 'Foreclosure').map(({ ObjectID: id }) => id);
  return [...new Set([...own, ...open.map(({ ForeclosureID: id }) => id)])].slice(0, CASES);
}

async function createTemplates(analyst: Stage['cast']['analyst']): Promise<void> {
  const { rows } = await analyst.call('messagetemplate/search', { SqlColumns: 'MessageTemplate', DisplaySize: 1_000 });
  const known = new Set(rows.map(({ MessageTemplate }) => MessageTemplate));
  let base: number | undefined;
  for (const { name, language, subject, text } of templates) {
    if (known.has(name)) return;
    const { row } = await analyst.call('messagetemplate/save', {
      MessageTemplate: name,
      MessageTemplateType: 'Email',
      AppliesTo: 'Foreclosure',
      Repeatable: 'Many',
      Subject: subject,
      BodyText: text,
      ...(language !== undefined && base !== undefined && { Language: language, VariantOfID: base }),
    });
    base ??= row.MessageTemplateID;
  }
}
