import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge, count } from '../design/badge.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { timeMark } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import {
  configurationGroups,
  maySave,
  type ConfigurationGroup,
  type ConfigurationKind,
} from './configuration-kinds.ts';

/** Most drafts that the front page lists. */
const DRAFTS_LISTED_MAX = 20;

/** The front page of Configure: every kind that the user may change, with how many there are. */
export const configurePage = page(async (call) => {
  const groups = configurationGroups
    .map((group) => ({ ...group, kinds: group.kinds.filter((kind) => maySave(call, kind)) }))
    .filter(({ kinds }) => kinds.length > 0);
  const [counts, drafts] = await Promise.all([readCounts(call, groups), readDrafts(call)]);
  const cards = groups.map((group) => groupCard(call, group, counts));
  return {
    title: 'Configure',
    place: 'configure',
    body: html`<div class="page wide"><header class="page-head"><h1>Configure</h1></header>
${groups.length === 0 && nothingToConfigure}
${drafts}
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
      const type = call.platform.registry.requireRecord(record, 'Object');
      const { answer } = await call
        .callOf(type, 'search', { SqlColumns: type.idField, DisplaySize: 1 })
        .catch(() => ({ answer: undefined }));
      return answer && [record, answer.rows[0]?.RecordCount ?? 0];
    }),
  );
  return new Map((await Promise.all(counted)).filter((each) => each !== undefined));
}

function groupCard(
  call: PageCall,
  { id, title, kinds }: ConfigurationGroup,
  counts: ReadonlyMap<string, number>,
): Markup {
  return card({
    id,
    title,
    body: html`<ul>${kinds.map((kind) => html`<li>${kindLink(call, kind, counts.get(kind.record))}</li>`)}</ul>`,
  });
}

function kindLink(call: PageCall, { record, icon: name, text }: ConfigurationKind, number: number | undefined): Markup {
  const { registry } = call.platform;
  const module = registry.requireRecord(record, 'Object').module;
  const shown = number !== undefined && count(number.toLocaleString('en-US'));
  return html`<a class="configure-entry" href="/records/${module}">${icon(name)}<span
class="cut"><b>${registry.titlePluralOf(record)}</b> <span class="small muted">${text}</span></span>${shown}</a>`;
}

/** Lists drafts of matrices that wait to be published. */
async function readDrafts(call: PageCall): Promise<Markup | false> {
  if (!call.may('matrix/drafts')) return false;
  const { answer } = await call.call('matrix/drafts', {});
  if (answer.rows.length === 0) return false;
  const people = await loadLabels(call, [referencesOf(answer.rows, ['UpdatedPersonID', 'Person'])]);
  const lines = answer.rows.slice(0, DRAFTS_LISTED_MAX).map(
    (row) =>
      html`<li><a class="configure-entry" href="/configure/matrices/${row.MatrixID}">${icon('matrix')}<span
class="cut"><b>${row.Matrix}</b> <span class="small muted">saved ${timeMark(call, row.UpdatedDate)} by
${people.get('Person')?.get(row.UpdatedPersonID ?? 0) ?? 'somebody'}</span></span>${badge('draft', 'accent')}</a></li>`,
  );
  return card({
    id: 'drafts',
    title: 'Drafts that wait to be published',
    note: String(answer.rows.length),
    body: html`<ul>${lines}</ul>`,
  });
}

/** Links to what moves configuration between installations. */
function exchangeCard(call: PageCall): Markup | false {
  const entries = [
    {
      name: 'decisiontemplate/export',
      text: 'Export configuration',
      icon: 'export',
      href: '/operations/decisiontemplate/export',
    },
    {
      name: 'decisiontemplate/import',
      text: 'Import configuration',
      icon: 'upload',
      href: '/operations/decisiontemplate/import',
    },
  ] as const;
  const offered = entries.filter(({ name }) => call.may(name));
  if (offered.length === 0) return false;
  return card({
    id: 'transfer',
    title: 'Move configuration',
    body: html`<ul>${offered.map(
      ({ text, icon: name, href }) =>
        html`<li><a class="configure-entry" href="${href}">${icon(name)}<span>${text}</span></a></li>`,
    )}</ul>`,
  });
}
