import { html, type Markup } from '../../../kernel/render/markup.ts';
import { sidePanel } from '../case/case-tabs.ts';
import { caseHeader, caseTitle } from '../case/case-header.ts';
import { readCase, type CaseView } from '../case/case-view.ts';
import { factPanels } from '../case/fact-panels.ts';
import { button } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import type { PageCall } from '../page-call.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import type { LayoutDraft } from './layout-draft.ts';

/** Renders a case as the draft shows it: the one whose ID is given, else the newest. */
export async function layoutPreview(call: PageCall, draft: LayoutDraft, caseText: string): Promise<Markup> {
  const { record, address } = draft;
  const view = await previewCase(call, draft, caseText);
  const isOther = caseText !== '' && view !== undefined && String(view.id) !== caseText;
  const form = html`<form method="get" action="${address}" class="row" id="preview-form"><label class="small muted"
for="preview-case">Case</label><input class="input grow" id="preview-case" name="Case" value="${caseText}"
autocomplete="off" data-lookup="${record.name}" placeholder="${view ? recordLabel(record, view.row) : 'Number'}">
${button({ text: 'Show' })}</form>`;
  const shown = view
    ? html`<div class="layout-preview case" inert>${caseHeader(call, view)}
<div class="layout-preview-panes"><div>${factPanels({ ...view, call, panels: view.layout.panels })}</div>
<div>${view.layout.side.map((name) => sidePanel(call, view, name))}</div></div></div>`
    : emptyState({
        title: `There is no ${record.title.toLowerCase()} to show.`,
        text: 'The preview shows one of your cases as soon as there is one.',
      });
  return html`<div class="side-head"><h2>Preview</h2>${
    view && html`<span class="end small muted cut"><bdi>${caseTitle(view)}</bdi></span>`
  }</div><div class="layout-side" id="preview">${form}${
    isOther && html`<p class="small soon">No case ${caseText} that you can see. This is the newest.</p>`
  }${shown}</div>`;
}

async function previewCase(
  call: PageCall,
  { record, content }: LayoutDraft,
  caseText: string,
): Promise<CaseView | undefined> {
  const chosen = /^\d{1,15}$/.test(caseText) ? await findCase(call, record, { ID: caseText }) : undefined;
  const found = chosen ?? (await findCase(call, record, { OrderBy: `-${record.idField}` }));
  if (found === undefined) return undefined;
  return readCase(call, { record, id: found, row: await selectRow(call, record, found), draft: content });
}

async function findCase(
  call: PageCall,
  record: LayoutDraft['record'],
  filters: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const { answer } = await call.callOf(record, 'search', { DisplaySize: 1, RecordCount: 'false', ...filters });
  const id = Number(answer.rows[0]?.[record.idField]);
  return Number.isSafeInteger(id) ? id : undefined;
}
