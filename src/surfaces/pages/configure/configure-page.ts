import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge, count } from '../design/badge.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { icon, type IconName } from '../design/icons.ts';
import { openPath, timeMark } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import {
  configurationGroups,
  kindIcon,
  maySave,
  type ConfigurationGroup,
  type ConfigurationKind,
} from './configuration-kinds.ts';
import { problemsCard } from './problems-page.ts';
import { movableTypes } from './transfer-page.ts';

/** Most drafts that the front page lists. */
const DRAFTS_LISTED_MAX = 20;

/** The front page of Configure: every kind that the user may change, with how many there are. */
export const configurePage = page(async (call) => {
  const groups = configurationGroups(call.platform.registry)
    .map((group) => ({ ...group, kinds: group.kinds.filter((kind) => maySave(call, kind)) }))
    .filter(({ kinds }) => kinds.length > 0);
  const [counts, drafts, problems] = await Promise.all([
    readCounts(call, groups),
    readDrafts(call),
    problemsCard(call),
  ]);
  const cards = groups.map((group) => groupCard(group, counts));
  return {
    title: 'Configure',
    place: 'configure',
    body: html`<div class="page wide"><header class="page-head"><h1>Configure</h1></header>
${groups.length === 0 && nothingToConfigure}
${drafts}${problems}
<div class="configure-groups">${cards}${exchangeCard(call)}</div></div>`,
  };
});

const nothingToConfigure = emptyState({
  title: 'You cannot change any configuration.',
  text: 'An administrator can give you the role Analyst.',
});

/** Counts the records of each kind, all at once. A kind that cannot be counted is shown without a number. */
async function readCounts(call: PageCall, groups: readonly ConfigurationGroup[]): Promise<ReadonlyMap<string, number>> {
  const counted = groups.flatMap(({ kinds }) =>
    kinds.map(async ({ record }): Promise<[string, number] | undefined> => {
      const { answer } = await call
        .callOf(record, 'search', { SqlColumns: record.idField, DisplaySize: 1 })
        .catch(() => ({ answer: undefined }));
      return answer && [record.name, answer.rows[0]?.RecordCount ?? 0];
    }),
  );
  return new Map((await Promise.all(counted)).filter((each) => each !== undefined));
}

function groupCard({ id, title, kinds }: ConfigurationGroup, counts: ReadonlyMap<string, number>): Markup {
  return card({
    id,
    title,
    body: html`<ul>${kinds.map((kind) => html`<li>${kindLink(kind, counts.get(kind.record.name))}</li>`)}</ul>`,
  });
}

function kindLink({ record, icon: name, text }: ConfigurationKind, number: number | undefined): Markup {
  const shown = number !== undefined && count(number.toLocaleString('en-US'));
  return html`<a class="configure-entry" href="/records/${record.module}">${icon(name)}<span
class="cut"><b>${record.titlePlural}</b> <span class="small muted">${text}</span></span>${shown}</a>`;
}

/** Lists drafts that wait to be published. */
async function readDrafts(call: PageCall): Promise<Markup | false> {
  if (!call.may('configuration/drafts')) return false;
  const { answer } = await call.call('configuration/drafts', {});
  if (answer.rows.length === 0) return false;
  const people = await loadLabels(call, [referencesOf(answer.rows, ['UpdatedPersonID', 'Person'])]);
  const lines = answer.rows.slice(0, DRAFTS_LISTED_MAX).map((row) => {
    const who = people.get('Person')?.get(row.UpdatedPersonID ?? 0) ?? 'somebody';
    return html`<li><a class="configure-entry" href="${openPath(row.Object, row.ObjectID)}">${icon(
      kindIcon(call.platform.registry.record(row.Object)),
    )}<span class="cut"><b>${row.Name}</b> <span class="small muted">saved ${timeMark(
      call,
      row.UpdatedDate,
    )} by ${who}</span></span>${badge('draft', 'accent')}</a></li>`;
  });
  return card({
    id: 'drafts',
    title: 'Drafts that wait to be published',
    note: String(answer.rows.length),
    body: html`<ul>${lines}</ul>`,
  });
}

/** Links to what moves configuration between installations. */
function exchangeCard(call: PageCall): Markup | false {
  const offered = [
    call.may('configuration/changes') && {
      text: 'What was changed',
      icon: 'history' as IconName,
      href: '/configure/changes',
    },
    movableTypes(call, 'export').length > 0 && {
      text: 'Export',
      icon: 'export' as IconName,
      href: '/configure/export',
    },
    movableTypes(call, 'import').length > 0 && {
      text: 'Import',
      icon: 'upload' as IconName,
      href: '/configure/import',
    },
  ].filter((each) => each !== false);
  if (offered.length === 0) return false;
  return card({
    id: 'transfer',
    title: 'Changes and transfer',
    body: html`<ul>${offered.map(
      ({ text, icon: name, href }) =>
        html`<li><a class="configure-entry" href="${href}">${icon(name)}<span>${text}</span></a></li>`,
    )}</ul>`,
  });
}
