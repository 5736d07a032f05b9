import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { isConfiguration, type RecordType } from '../../../kernel/declare/record.ts';
import { buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { inSentence } from '../display-names.ts';
import { openPath } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath, recordLabel, recordTypeFromPath, selectRow } from '../record-address.ts';

/** Lists the configuration that uses a record of configuration, such as a template. */
export const usesPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const [row, { answer }] = await Promise.all([
    selectRow(call, record, id),
    call.call('configuration/usedin', { Object: record.name, ObjectID: id }),
  ]);
  const name = recordLabel(record, row);
  const back = openPath(record.module, id);
  return {
    title: `Where ${name} is used`,
    place: 'configure',
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: record.titlePlural, href: `/records/${record.module}` },
      { text: name, href: back },
      { text: 'Used in' },
    ],
    body: html`<div class="page"><header class="page-head"><h1>Where <bdi>${name}</bdi> is used</h1>${buttonLink({
      text: `Open the ${record.title.toLowerCase()}`,
      href: back,
    })}</header>${
      answer.rows.length === 0
        ? emptyState({
            title: `Nothing uses this ${record.title.toLowerCase()}.`,
            text: 'Calls whose parameters are computed are not found. Programs may use it over HTTP.',
          })
        : usesTable(call, answer.rows)
    }</div>`,
  };
});

/** Reads what uses a record of configuration; nothing where the user may not know. */
export async function readUses(
  call: PageCall,
  record: RecordType,
  id: number,
): Promise<readonly AnswerRowFor<'configuration/usedin'>[]> {
  if (!isConfiguration(record) || !call.may('configuration/usedin')) return [];
  return (await call.call('configuration/usedin', { Object: record.name, ObjectID: id })).answer.rows;
}

/** Most uses that a card or a question lists. */
const USES_LISTED_MAX = 8;

/** Renders what uses a record as a short list, with a link to all. */
export function usesList(
  call: PageCall,
  { record, id }: { readonly record: RecordType; readonly id: number },
  uses: readonly AnswerRowFor<'configuration/usedin'>[],
): Markup {
  const { registry } = call.platform;
  const lines = uses.slice(0, USES_LISTED_MAX).map((use) => {
    const title = registry.titleOf(use.Object);
    const name = use.Name ?? `${title} ${use.ObjectID}`;
    return html`<li><a class="link" href="${usePath(call, use)}"><bdi>${name}</bdi></a>
<span class="small soft">${title}, ${usedField(call, use)}</span></li>`;
  });
  const rest = uses.length - lines.length;
  return html`<ul class="uses">${lines}</ul>${
    rest > 0 &&
    html`<p class="small"><a class="link" href="/configure/uses/${record.module}/${id}">and ${rest} more</a></p>`
  }`;
}

/** Renders the card of a record's page that says where it is used. */
export function usesCard(
  call: PageCall,
  of: { readonly record: RecordType; readonly id: number },
  uses: readonly AnswerRowFor<'configuration/usedin'>[],
): Markup | false {
  if (!isConfiguration(of.record) || !call.may('configuration/usedin')) return false;
  const body = uses.length === 0 ? html`<p class="small soft">Nothing uses it.</p>` : usesList(call, of, uses);
  return card({
    id: 'uses',
    title: 'Used in',
    ...(uses.length > 0 && { note: String(uses.length) }),
    body: html`<div class="card-body">${body}</div>`,
  });
}

function usePath(call: PageCall, { Object: object, ObjectID: id }: AnswerRowFor<'configuration/usedin'>): string {
  return openPath(call.platform.registry.record(object)?.module ?? object, id);
}

/** Returns what people call the field that names a record, inside a sentence. */
function usedField(call: PageCall, { Object: object, Field: field }: AnswerRowFor<'configuration/usedin'>): string {
  const record = call.platform.registry.record(object);
  const isColumn = record?.columns.has(field.toLowerCase()) === true;
  return inSentence(record && isColumn ? columnLabel(record, field) : field);
}

/** Renders uses as a table, each with a link to what uses the record and to the template of which that is a part. */
export function usesTable(call: PageCall, uses: readonly AnswerRowFor<'configuration/usedin'>[]): Markup {
  const { registry } = call.platform;
  const rows = uses.map(({ Object: object, ObjectID: id, Name: name, ParentObject, ParentID, Field: field }) => {
    const record = registry.record(object);
    const title = registry.titleOf(object);
    const parent = registry.record(ParentObject ?? '');
    const isColumn = record?.columns.has(field.toLowerCase()) === true;
    return html`<tr><td>${title}</td><th scope="row"><a class="link" href="${openPath(
      record?.module ?? object,
      id,
    )}"><bdi>${name ?? `${title} ${id}`}</bdi></a></th><td>${
      parent !== undefined &&
      typeof ParentID === 'number' &&
      html`<a class="link" href="${openPath(parent.module, ParentID)}">${parent.title} ${ParentID}</a>`
    }</td><td>${record && isColumn ? columnLabel(record, field) : field}</td></tr>`;
  });
  return table({ label: 'Uses', heads: ['Kind', 'Name', 'Part of', 'Field'], rows });
}
