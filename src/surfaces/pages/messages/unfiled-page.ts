import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { shortTimeMark } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { caseKey, loadItemCases, type ItemCases } from '../work/item-cases.ts';
import { fileOnForm } from './file-form.ts';
import { INBOX_PATH, messagePath } from './message-paths.ts';
import { messageTabs, readTeams } from './message-tabs.ts';
import { messageToasts } from './message-toasts.ts';
import { MAILBOXES_PATH } from './mailboxes-page.ts';
import type { MessageRow } from './read-thread.ts';
import { uncheckedNote } from './sender-advice.ts';

/** Messages of a page; the others follow once these are filed. */
const PAGE_ROWS = 50;
const SNIPPET_CHARACTERS = 300;
const PATH = `${INBOX_PATH}/unfiled`;

type Proposal = AnswerRowFor<'message/proposals'>;

/** Lists received mail that is on no record, each with the record to which it probably belongs. */
export const unfiledPage = page((call) => unfiledAnswer(call));

/** Returns the page. `refused`: why something was not filed. */
async function unfiledAnswer(call: PageCall, refused?: PlatformError): Promise<ShownPage> {
  const { answer } = await call.call('message/search', {
    Status: 'Unfiled',
    SqlColumns:
      'MessageID,Message,FromName,FromAddress,ReceivedDate,BodyText,FiledDetail,MailInboundID,SenderProof,DMARC',
    OrderBy: 'MessageID',
    DisplaySize: PAGE_ROWS,
    RecordCount: 'false',
  });
  const rows = answer.rows as readonly MessageRow[];
  const proposals = await readProposals(call, rows);
  const [cases, head] = await Promise.all([
    loadItemCases(
      call,
      [...proposals.values()].map(({ Object: object, ObjectID: id }) => ({ Object: object, ObjectID: id })),
    ),
    messageTabs(call, 'unfiled', { teams: await readTeams(call) }),
  ]);
  return {
    title: 'Not filed',
    place: 'messages',
    crumbs: [{ text: 'Messages', href: INBOX_PATH }, { text: 'Not filed' }],
    hasPanes: true,
    status: refused?.status ?? 200,
    entries: ['messages'],
    toasts: messageToasts(call, PATH),
    body: html`<div class="inbox"><div class="list-head"><h1>Messages</h1>${head}</div>
<div class="case-body scroll" tabindex="0" role="region" aria-label="Mail that is not filed"><div class="page narrow">
<p class="soft">Mail that could not be matched to a record. Once you file it, later answers are filed with it.</p>
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
${call.may('message/file') && uncheckedNote(call, rows, MAILBOXES_PATH)}
<div id="unfiled" data-live="message">${
      rows.length === 0
        ? emptyState({ icon: 'check', title: 'All mail is filed.' })
        : html`<ul class="waiting-mail">${rows.map((row) =>
            waitingMail(call, row, { proposal: proposals.get(row.MessageID), cases }),
          )}</ul>`
    }</div></div></div></div>`,
  };
}

async function readProposals(call: PageCall, rows: readonly MessageRow[]): Promise<ReadonlyMap<number, Proposal>> {
  if (rows.length === 0 || !call.may('message/proposals')) return new Map();
  const { answer } = await call.call('message/proposals', { ID: rows.map(({ MessageID }) => MessageID) });
  return new Map(answer.rows.map((row) => [row.MessageID, row]));
}

interface WaitingParts {
  readonly proposal: Proposal | undefined;
  readonly cases: ItemCases;
}

function waitingMail(call: PageCall, row: MessageRow, { proposal, cases }: WaitingParts): Markup {
  const id = row.MessageID;
  const who = (row.FromName ?? '') || (row.FromAddress ?? '') || 'Unknown sender';
  const text = (row.BodyText ?? '')
    .slice(0, 4 * SNIPPET_CHARACTERS)
    .replace(/\s+/g, ' ')
    .slice(0, SNIPPET_CHARACTERS);
  return html`<li id="unfiled-${id}" data-row><p class="row"><b class="cut"><bdi>${who}</bdi></b><span
 class="muted small cut"><bdi>${
   row.FromAddress
 }</bdi></span><span class="muted small end nowrap">${shortTimeMark(call, row.ReceivedDate)}</span></p>
<p><a class="link" href="${messagePath(id)}"><bdi>${(row.Message ?? '').trim() || 'No subject'}</bdi></a></p>
<p class="soft small"><bdi>${text}</bdi></p>
${(row.FiledDetail ?? '') !== '' && html`<p class="small muted"><bdi>${row.FiledDetail}</bdi></p>`}
${proposal && proposalLine(call, proposal, cases)}
${
  call.may('message/file') &&
  html`<details${!proposal && html` open`}><summary class="link small">${
    proposal ? 'File on another record' : 'File on a record'
  }</summary>${fileOnForm(call, id, PATH)}</details>`
}</li>\n`;
}

function proposalLine(call: PageCall, proposal: Proposal, cases: ItemCases): Markup {
  const { MessageID: id, Object: object, ObjectID: recordId } = proposal;
  const about = cases.get(caseKey({ Object: object, ObjectID: recordId }));
  const name = about?.name ?? `${call.platform.registry.titleOf(object)} ${recordId}`;
  return html`<div class="proposal">${icon('case', 14)}<p>Probably <b><bdi>${name}</bdi></b> <span
 class="muted small"><bdi>${
   about?.place
 }</bdi></span><br><span class="small soft"><bdi>${proposal.Detail}</bdi></span></p>
<form method="post" action="${messagePath(id)}">${csrfField(call)}${hiddenField('Back', PATH)}${hiddenField(
    'Object',
    object,
  )}${hiddenField('ObjectID', recordId)}${button({
    text: 'Accept',
    icon: 'check',
    name: 'Action',
    value: 'file',
    of: `the proposal
for ${name}`,
  })}</form></div>`;
}
