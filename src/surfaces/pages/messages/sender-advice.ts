import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { trustedServers, UNNAMED_SERVER, usualServer } from '../../../lib/mail/checking-servers.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';

type MailboxRow = RowNamed<'MailInbound'>;

/** The value of the button that saves the server whose checks of senders count. */
export const USE_SERVER = 'use-server';

/** Says what keeps a mailbox from confirming senders, and how to change it; nothing if senders are confirmed. */
export function senderAdvice(call: PageCall, row: MailboxRow, path: string): Markup | false {
  if (row.Active === false) return false;
  const { name, count, mails } = usualServer(row.CheckingServers);
  const trusted = trustedServers(row.AuthenticationServer, row.Host);
  if (name !== undefined) return trusted.includes(name) ? false : otherServer(call, row, { name, count, mails, path });
  return mails > 0 && row.SenderProof !== 'NotFailed' && noServer(call, row, mails);
}

interface OtherServer {
  readonly name: string;
  readonly count: number;
  readonly mails: number;
  readonly path: string;
}

function otherServer(call: PageCall, row: MailboxRow, { name, count, mails, path }: OtherServer): Markup {
  const server = name === UNNAMED_SERVER ? 'a server that writes no name' : html`<b><bdi>${name}</bdi></b>`;
  return banner({
    tone: 'warn',
    text: html`Emails here are checked by ${server}, but its results are not used yet.`,
    more: html`<p class="small prose">It checked ${count} of ${plural(mails, 'new email')}. Until
 its results are used, most emails wait under <a class="link" href="/messages/unfiled">Not filed</a>. Use it only if
 it is a server of your mail provider.</p>`,
    actions:
      call.may('mailinbound/save') &&
      html`<form method="post" action="${path}">${csrfField(call)}${hiddenField(
        'ID',
        row.MailInboundID,
      )}${hiddenField('Server', name)}${button({
        text: 'Use it',
        kind: 'primary',
        name: 'Action',
        value: USE_SERVER,
        of: `${name} for ${row.MailInbound ?? ''}`,
      })}</form>`,
  });
}

function noServer(call: PageCall, row: MailboxRow, mails: number): Markup {
  const isStrict = row.SenderProof === 'Required' || (row.AuthenticationServer ?? '').trim() !== '';
  const filesAnswers = !isStrict && row.SenderChecksSince === null;
  const consequence = filesAnswers
    ? 'Answers to your emails are filed if they come from an address to which you sent that email.'
    : 'Only answers to a signed reply address are filed.';
  return banner({
    tone: filesAnswers ? 'info' : 'warn',
    text: `The mail server did not confirm who sent the newest ${plural(mails, 'email')}.`,
    more: html`<p class="small prose">${consequence} Other emails wait under <a class="link"
 href="/messages/unfiled">Not filed</a>, because anybody can write any sender into an email. To file more of them, set a
 reply domain (<code class="mono">ReplyDomain</code>): every answer then has an address that only its recipient knows.
 Or let senders count that nobody has checked (<b>Senders that count</b>); a forged sender is then believed.</p>
<p class="row wrap small prose">${
      call.may('setting/save') && html`<a href="/administration/settings?Text=ReplyDomain">Set a reply domain</a>`
    }${
      call.may('mailinbound/save') &&
      html`<a href="/records/mailinbound/${row.MailInboundID}/edit">Choose the senders that count</a>`
    }</p>`,
  });
}

/** A received message as far as it says whether a server checked its sender. */
interface CheckedMessage {
  readonly SenderProof: string | null;
  readonly DMARC: string | null;
}

/** Says that mail waits because no server has checked its sender, with a link for those who may change that. */
export function uncheckedNote(call: PageCall, rows: readonly CheckedMessage[], path: string): Markup | false {
  const count = rows.filter(({ SenderProof, DMARC }) => SenderProof === 'Unproven' && DMARC === null).length;
  if (count === 0) return false;
  const mayChange = call.may('mailinbound/search') && call.may('mailinbound/save');
  return banner({
    tone: 'info',
    text: `No mail server has confirmed the sender of ${plural(count, 'email')} below, so Casewright files ${
      count === 1 ? 'it' : 'them'
    } only with your approval.`,
    more: mayChange
      ? html`<p class="small prose"><a href="${path}">See what the mailbox needs</a></p>`
      : html`<p class="small">An administrator can change this for the mailbox.</p>`,
  });
}
