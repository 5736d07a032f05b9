import type { AnswerRowFor, OperationName } from '../../../kernel/declare/catalog.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { browserOf } from '../browser-name.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { groupDigits, recordLink } from '../display-values.ts';
import { shortTimeMark } from '../due-words.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { administrationAnswer } from './frame.ts';
import { requireCallerError } from './caller-error.ts';
import { currentHandover, deactivationForm } from './user-handover.ts';

type Holding = AnswerRowFor<'handover/holdings'>;
type Kind = Holding['Kind'];

const PATH = '/administration/users';

/** Returns the address of the page that shows what a user holds. */
export function holdingsPath(personId: string | number): string {
  return `${PATH}/${personId}/holdings`;
}

/** Shows what a user holds, with the form that gives it to others. */
export const userHoldingsPage = page((call) => holdingsAnswer(call));

/** Deactivates a user and gives their work to others. */
export const deactivateUser = page(async (call) => {
  const id = call.path['id'] ?? '';
  const sent = (name: string): string => plainText(call.form[name]);
  try {
    await call.call('handover/deactivate', {
      PersonID: id,
      Reason: sent('Reason'),
      WorkPersonID: sent('WorkPersonID'),
      CasePersonID: sent('CasePersonID'),
    });
    return { redirectTo: `${PATH}/${id}?done=deactivated#deactivation` };
  } catch (error) {
    return holdingsAnswer(call, requireCallerError(error));
  }
});

async function holdingsAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const id = call.path['id'] ?? '';
  const [{ answer: user }, { answer: held }, handover] = await Promise.all([
    call.call('person/select', { ID: id }),
    call.call('handover/holdings', { PersonID: id }),
    currentHandover(call, id),
  ]);
  const name = user.row.Person ?? '';
  const isOver = user.row.Status === 'Inactive' && handover !== undefined;
  const canDeactivate = call.may('handover/deactivate') && !isOver && user.row.PersonID !== call.user.personId;
  return administrationAnswer(call, {
    status: error?.status,
    title: `What ${name} holds`,
    path: PATH,
    below: [{ text: name, href: `${PATH}/${id}` }, { text: 'Holdings' }],
    intro: 'What depends on this user. Queued and recurring calls of an inactive user fail.',
    body: html`${groups.map((group) => groupCard(call, group, held.rows))}
${canDeactivate && deactivationForm(call, id, error)}`,
  });
}

/** Kinds of holdings that one table shows. */
interface HoldingGroup {
  readonly id: string;
  readonly title: string;
  /** Names the table. */
  readonly label: string;
  readonly kinds: readonly Kind[];
  /** The operations that the viewer needs to see all of them. */
  readonly searches: readonly OperationName[];
  readonly none: string;
  /** Whether they are shown with their last use instead of their number. */
  readonly isUsed?: true;
}

const groups: readonly HoldingGroup[] = [
  {
    id: 'work',
    title: 'Open work',
    label: 'Work by queue and type',
    searches: ['smartworklistmember/search', 'importform/search', 'process/search'],
    kinds: ['WorkItem', 'Task', 'Case'],
    none: 'No open work is assigned to this user.',
  },
  {
    id: 'access',
    title: 'Access',
    label: 'Keys, accounts and sessions',
    searches: ['apikey/search', 'sftpaccount/search', 'session/search'],
    kinds: ['ApiKey', 'SftpAccount', 'Session'],
    none: 'No keys, sFTP accounts or open sessions.',
    isUsed: true,
  },
  {
    id: 'calls',
    title: 'Runs as this user',
    label: 'Imports and calls',
    searches: ['importfile/search', 'queue/search'],
    kinds: ['Import', 'QueuedCall', 'RecurringCall'],
    none: 'Nothing is queued, and nothing recurs.',
  },
  {
    id: 'lists',
    title: 'Views and follows',
    label: 'Lists and followed records',
    searches: ['view/search', 'follow/search'],
    kinds: ['View', 'SharedView', 'Follow'],
    none: 'No views or follows.',
  },
];

const kindWords: Readonly<Record<Kind, string>> = {
  WorkItem: 'Work items of the queue',
  Task: 'Tasks of the type',
  Case: 'Cases assigned',
  View: 'View, own',
  SharedView: 'View, shared by them',
  Follow: 'Follows',
  ApiKey: 'API key',
  SftpAccount: 'SFTP account',
  Session: 'Session',
  Import: 'Running import',
  QueuedCall: 'Queued calls',
  RecurringCall: 'Recurring call',
};

function groupCard(call: PageCall, group: HoldingGroup, held: readonly Holding[]): Markup {
  const { id, title, label, kinds } = group;
  const isPartial = group.searches.some((name) => !call.may(name));
  const rows = held.filter(({ Kind: kind }) => kinds.includes(kind));
  const total = rows.reduce((sum, { HeldCount: count }) => sum + count, 0);
  const columns = {
    isDetailed: rows.some(({ Detail: detail }) => detail !== null),
    isUsed: group.isUsed === true,
  };
  const body =
    rows.length === 0
      ? emptyState({ title: isPartial ? 'Nothing that you may see.' : group.none })
      : table({
          label,
          heads: [
            'What',
            'Name',
            columns.isDetailed && 'Details',
            columns.isUsed ? 'Last used' : { text: 'Number', isNumber: true },
          ],
          rows: rows.map((row) => holdingRow(call, row, columns)),
        });
  const partial =
    isPartial &&
    html`<p class="card-body soft">You may not search all of these. What you may not search is missing.</p>`;
  return card({ id, title, note: total, body: html`${body}${partial}` });
}

/** The columns of a table. Those of which the last use is shown are listed one by one, so they need no number. */
interface HoldingColumns {
  readonly isDetailed: boolean;
  readonly isUsed: boolean;
}

function holdingRow(call: PageCall, row: Holding, { isDetailed, isUsed }: HoldingColumns): Markup {
  const used = isUsed && html`<td>${shortTimeMark(call, row.LastUsed) || 'Never'}</td>`;
  return html`<tr>
<th scope="row">${kindWords[row.Kind]}</th>
<td>${nameOf(call, row)}</td>
${isDetailed && html`<td>${detailOf(row)}</td>`}
${used || html`<td class="number">${groupDigits(String(row.HeldCount))}</td>`}
</tr>\n`;
}

function detailOf({ Kind: kind, Detail: detail }: Holding): HtmlValue {
  if (kind === 'Session') return browserOf(detail ?? '');
  if (kind === 'ApiKey') return detail !== null && html`<span class="mono">${detail}…</span>`;
  return detail;
}

/** The kinds whose records have a page that says more. */
const linkedKinds: ReadonlySet<Kind> = new Set(['WorkItem', 'Task', 'View', 'SharedView', 'SftpAccount', 'Import']);

function nameOf(call: PageCall, { Kind: kind, Object: object, ObjectID: id, Name: name }: Holding): HtmlValue {
  if (kind === 'Case' || kind === 'Follow') return call.platform.registry.record(name ?? '')?.titlePlural ?? name;
  if (kind === 'QueuedCall' || kind === 'RecurringCall') return html`<span class="mono">${name}</span>`;
  if (object === null || id === null || !linkedKinds.has(kind)) return html`<bdi>${name}</bdi>`;
  return recordLink(call, object, id, name ?? undefined);
}
