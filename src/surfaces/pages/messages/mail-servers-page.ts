import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { administrationAnswer } from '../administration/frame.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { facts } from '../design/list.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';

/** The page of mail servers. */
const SERVERS_PATH = '/administration/mail-servers';
const SERVERS_MAX = 100;
/** The kind of server that sends text messages. */
const TEXT_KIND = 'text';

type ServerRow = RowNamed<'MailOutbound'>;

/** The result of a test, shown on the card of its server. */
interface TestResult {
  readonly id: number;
  /** Why the server cannot be used; empty if it works. */
  readonly problem: string;
}

interface ServersReply {
  readonly refused?: PlatformError;
  readonly tested?: TestResult;
}

/** Lists the mail servers in their order, and says how many emails wait to be sent. */
export const mailServersPage = page((call) => serversAnswer(call));

/** Tests a server and shows the result. Nothing is sent. */
export const testMailServer = page(async (call): Promise<PageAnswer> => {
  try {
    const { answer } = await call.call('mailoutbound/test', { ID: plainText(call.form['ID']) });
    const { MailOutboundID: id, Status, Message } = answer.row;
    const problem = Status === 'Works' ? '' : (Message ?? '') || 'The server does not respond.';
    return await serversAnswer(call, { tested: { id, problem } });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return serversAnswer(call, { refused: error.masked() });
  }
});

async function serversAnswer(call: PageCall, { refused, tested }: ServersReply = {}): Promise<ShownPage> {
  const [{ answer }, waiting] = await Promise.all([
    call.call('mailoutbound/search', {
      OrderBy: 'Sequence,MailOutboundID',
      DisplaySize: SERVERS_MAX,
      RecordCount: 'false',
    }),
    waitingMail(call),
  ]);
  const { rows } = answer;
  const defaults = new Set([rows.find((row) => !sendsTexts(row)), rows.find(sendsTexts)]);
  return administrationAnswer(call, {
    title: 'Mail servers',
    path: SERVERS_PATH,
    intro: html`Email goes out through the first server, unless a template or a call names another.${waiting}`,
    actions:
      call.may('mailoutbound/save') &&
      buttonLink({ text: 'New mail server', kind: 'primary', href: '/records/mailoutbound/new' }),
    status: refused?.status,
    body: html`${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${
  rows.length === 0
    ? emptyState({
        icon: 'message',
        title: 'There is no mail server yet.',
        text: 'Until you add one, emails are saved as files in the “mail” folder of the data folder and not sent.',
      })
    : html`<div class="stack">${rows.map((row) =>
        serverCard(call, row, { isDefault: defaults.has(row), tested }),
      )}</div>`
}`,
  });
}

/** Renders a link to the emails that wait to be sent, with their number; nothing if none do. */
async function waitingMail(call: PageCall): Promise<Markup | false> {
  if (!call.may('maildelivery/search')) return false;
  const { answer } = await call.call('maildelivery/search', { Status: ['Waiting', 'Sending'], DisplaySize: 1 });
  const count = answer.rows[0]?.RecordCount ?? 0;
  return (
    count > 0 &&
    html` <a class="link" href="/records/maildelivery?Status=Waiting">${plural(count, 'email')} waiting to be sent</a>`
  );
}

function sendsTexts({ MailOutboundType: kind }: ServerRow): boolean {
  return kind === TEXT_KIND;
}

function serverCard(
  call: PageCall,
  row: ServerRow,
  { isDefault, tested }: { readonly isDefault: boolean; readonly tested: TestResult | undefined },
): Markup {
  const id = row.MailOutboundID;
  const name = row.MailOutbound ?? `Mail server ${id}`;
  return card({
    id: `server-${id}`,
    title: html`<bdi>${name}</bdi>`,
    note: kindWords(row),
    actions: html`${isDefault && badge('Default', 'ok')}${actions(call, id, name)}`,
    body: html`<div class="card-body stack">${tested?.id === id && testBanner(tested)}
${(row.Description ?? '') !== '' && html`<p><bdi>${row.Description}</bdi></p>`}
${connectionFacts(row)}</div>`,
  });
}

/** Renders the connection and the sender. The address of an HTTP service is in its options. */
function connectionFacts({ Host, Port, Security, UserName, FromAddress, MessagesPerMinute }: ServerRow): Markup {
  const text = (value: string | null): Markup | false => value !== null && value !== '' && html`<bdi>${value}</bdi>`;
  const server = text(Host);
  return facts([
    ['Server', server && html`${server}${Port !== null && `:${Port}`}`],
    ['Encryption', server && (Security ?? 'STARTTLS')],
    ['User name', text(UserName)],
    ['Sender', text(FromAddress)],
    ['Emails per minute, at most', MessagesPerMinute !== null && String(MessagesPerMinute)],
  ]);
}

function kindWords({ MailOutboundType: kind }: ServerRow): string {
  if (kind === TEXT_KIND) return 'Text messages';
  return kind === 'http' ? 'HTTP service' : 'SMTP';
}

function testBanner({ problem }: TestResult): Markup {
  return problem === ''
    ? banner({ tone: 'ok', role: 'status', text: 'Test passed. The server accepted the sign-in; no email was sent.' })
    : banner({ tone: 'danger', role: 'alert', text: `Test failed. ${problem}` });
}

function actions(call: PageCall, id: number, name: string): Markup {
  return html`${
    call.may('mailoutbound/test') &&
    html`<form method="post" action="${SERVERS_PATH}">${csrfField(call)}${hiddenField('ID', id)}${button({
      text: 'Test',
      of: name,
    })}</form>`
  }${
    call.may('mailoutbound/save') &&
    buttonLink({ text: 'Edit', of: name, kind: 'quiet', href: `/records/mailoutbound/${id}/edit` })
  }`;
}
