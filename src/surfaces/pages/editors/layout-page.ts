import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { PANELS } from '../../../lib/page-layouts/content.ts';
import {
  applyEdit,
  entriesOf,
  entryName,
  holdsFacts,
  parseEdit,
  type LayoutEdit,
  type LayoutEntry,
} from '../../../lib/page-layouts/edits.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { menu, menuLine } from '../design/menu.ts';
import { toast } from '../design/toast.ts';
import { localDateTime, recordPath, timeMark } from '../display-values.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { changeCounts, editorShell, problemPanel } from './editor-shell.ts';
import {
  countLayoutProblems,
  editText,
  entryIds,
  fieldPath,
  layoutCrumbs,
  layoutProblems,
  layoutPublishing,
  readLayoutDraft,
  type LayoutDraft,
} from './layout-draft.ts';
import { layoutLists } from './layout-lists.ts';
import { layoutPreview } from './layout-preview.ts';

const doneWords: Readonly<Record<string, string>> = {
  published: 'Published. Cases show this version from now on.',
  discarded: 'Draft discarded. The published version is unchanged.',
  restored: 'The earlier version is now the draft. Publish it to use it.',
};

/** The editor of what the page of a case shows. */
export const layoutPage = page((call) => layoutAnswer(call, {}));

/** Moves, adds, changes or removes an entry of the draft. */
export const changeLayout = page(async (call) => {
  const draft = await readLayoutDraft(call);
  const edits: LayoutEdit[] = [];
  try {
    edits.push(...sentEdits(call, draft));
    const [first] = edits;
    if (!first) return await layoutAnswer(call, {});
    if (plainText(call.form['Version']) !== String(draft.version)) return await layoutAnswer(call, { conflict: edits });
    const content = edits.reduce((before, edit) => applyEdit(before, edit) ?? before, draft.content);
    await call.call('pagelayout/savedraft', {
      ID: draft.id,
      Version: draft.version,
      Layout: JSON.stringify(content),
    });
    const query = new URLSearchParams({ Case: plainText(call.form['Case']), At: focusAfter(content, first) });
    return { redirectTo: `${draft.address}?${query.toString()}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    if (error.code === 'VERSION_CONFLICT') return layoutAnswer(call, { conflict: edits });
    return layoutAnswer(call, { error: error.masked() });
  }
});

/** Returns the changes that a form requests. @throws BAD_PARAMETER for a field that does not exist */
function sentEdits(call: PageCall, { content, record }: LayoutDraft): readonly LayoutEdit[] {
  const sent = JSON.parse(plainText(call.form['Do']) || 'null') as { verb?: unknown; to?: { list?: unknown } } | null;
  if (sent?.verb === 'add') {
    const text = plainText(call.form['Text']).trim();
    if (text === '') throw new PlatformError('BAD_PARAMETER', { field: 'Text', message: 'Enter what to add.' });
    const entry = newEntry(call, record, String(sent.to?.list), text);
    const edit = parseEdit(JSON.stringify({ ...sent, entry }));
    return edit ? [edit] : [];
  }
  const edit = parseEdit(plainText(call.form['Do']));
  if (edit?.verb !== 'label') return edit ? [edit] : [];
  const to = plainText(call.form['To']);
  const label: LayoutEdit = { ...edit, text: plainText(call.form['Label']).trim() };
  const target = entriesOf(content, { list: to });
  if (!target || to === edit.from.list) return [label];
  return [label, { verb: 'move', from: edit.from, to: { list: to }, at: target.length }];
}

function newEntry(call: PageCall, record: LayoutDraft['record'], list: string, text: string): LayoutEntry {
  if (holdsFacts(list)) return { field: fieldPath(call.platform.registry, record, text) };
  if (list !== 'panels') return text;
  const known = PANELS.find((name) => name.toLowerCase() === text.toLowerCase());
  return known === undefined ? { title: text, facts: [] } : { panel: known };
}

/** Returns the ID of the element that has the focus after a change: the same button, of the entry at its new place. */
function focusAfter(content: LayoutDraft['content'], edit: LayoutEdit): string {
  if (edit.verb === 'add') return `add-${edit.to.list.replace('/', '-')}`;
  const list = edit.verb === 'move' ? edit.to.list : edit.from.list;
  const at = (entriesOf(content, { list }) ?? []).map(entryName).indexOf(edit.from.name);
  const id = entryIds(content, list)[at];
  if (id === undefined) return `add-${list.replace('/', '-')}`;
  return `${edit.verb === 'up' || edit.verb === 'down' ? edit.verb : 'grip'}-${id}`;
}

/** What a posted form leaves: the reason why it was refused, or changes of a draft that somebody else has changed. */
interface Submitted {
  readonly error?: PlatformError;
  readonly conflict?: readonly LayoutEdit[];
}

async function layoutAnswer(call: PageCall, { error, conflict }: Submitted): Promise<PageAnswer> {
  const draft = await readLayoutDraft(call);
  const caseText = plainText(call.form['Case'] ?? call.query['Case']);
  const [side, people] = await Promise.all([
    layoutPreview(call, draft, caseText),
    loadLabels(call, [referencesOf([{ UpdatedPersonID: draft.updatedPersonId }], ['UpdatedPersonID', 'Person'])]),
  ]);
  const who = people.get('Person')?.get(draft.updatedPersonId ?? 0) ?? 'Somebody';
  const done = doneWords[plainText(call.query['done'])];
  const lists = layoutLists({ call, draft, caseText, focus: plainText(call.query['At']) });
  return {
    title: draft.name,
    place: 'configure',
    crumbs: layoutCrumbs(call, draft),
    entries: ['layout'],
    hasPanes: true,
    status: conflict ? 409 : (error?.status ?? 200),
    toasts: done === undefined ? [] : [toast({ text: done })],
    body: editorShell({
      title: html`<bdi>${draft.name}</bdi>`,
      versions: versionMenu(draft),
      changes: draft.mayEdit && changeCounts(countsOf(draft)),
      tools: html`<span class="small muted">${who !== 'Somebody' && savedText(call, draft, who)}</span>`,
      publishing: layoutPublishing(draft),
      body: html`<layout-editor class="layout-editor scroll" id="layout" tabindex="0" role="region"
aria-label="Layout"><p class="hidden" id="layout-keys">Press Space to pick up. Then the arrow keys move it, Space
puts it down, and Escape puts it back.</p>
<div id="layout-messages">${error && banner({ tone: 'danger', role: 'alert', text: error.message })}
${conflict && html`<div data-conflict>${conflictBanner(call, draft, { who, edits: conflict })}</div>`}
${staleNote(draft)}</div>${lists}</layout-editor>`,
      side,
      problems: problemPanel(layoutProblems(draft), countLayoutProblems(draft), `For ${draft.record.titlePlural}`),
    }),
  };
}

function savedText(call: PageCall, { updatedDate }: LayoutDraft, who: string): HtmlValue {
  return updatedDate !== null && html`Saved ${timeMark(call, updatedDate)} by <bdi>${who}</bdi>`;
}

function countsOf({ differences }: LayoutDraft): Readonly<Record<'added' | 'changed' | 'removed', number>> {
  const count = (of: string): number => differences.filter(({ kind }) => kind === of).length;
  return { added: count('added'), changed: count('changed'), removed: count('removed') };
}

function versionMenu({ id, address, version, published, mayEdit }: LayoutDraft): Markup {
  const name = version > 0 ? `v${published + 1} draft` : `v${published} published`;
  const summary = html`<summary
class="button">${icon('history')}<span id="version-name">${name}</span>${icon('chevronDown', 12)}</summary>`;
  return menu(
    summary,
    [
      { text: 'Versions and differences', href: `${address}/versions` },
      menuLine,
      { text: 'Name and applicable cases', icon: 'settings', href: recordPath('pagelayout', id) },
      version > 0 && mayEdit && menuLine,
      version > 0 && mayEdit && { text: 'Discard this draft', icon: 'trash', href: `${address}/discard` },
    ],
    'left',
  );
}

function staleNote({ version, base, published, address }: LayoutDraft): Markup | false {
  if (version === 0 || base === published) return false;
  return banner({
    tone: 'warn',
    text: `v${published} was published after this draft began from v${base}.`,
    more: html`<p>Publishing the draft would undo what it changed.</p>`,
    actions: buttonLink({ text: 'Versions', href: `${address}/versions` }),
  });
}

/** Says that somebody else changed the draft meanwhile, and offers to make the change on theirs. */
function conflictBanner(
  call: PageCall,
  draft: LayoutDraft,
  { who, edits }: { readonly who: string; readonly edits: readonly LayoutEdit[] },
): Markup {
  const { content, address, version, updatedDate } = draft;
  const [edit] = edits;
  const when = updatedDate === null ? '' : ` at ${localDateTime(call, updatedDate)}`;
  const happened =
    version === 0 ? 'Somebody published or discarded this draft.' : `${who} changed this draft${when}. You see it now.`;
  if (!edit) return banner({ tone: 'warn', role: 'alert', text: happened });
  const isPossible = applyEdit(content, edit) !== undefined;
  const words = editText(content, edit);
  const fields = (['Do', 'Text', 'Label', 'To'] as const).map((name) =>
    call.form[name] === undefined ? false : hiddenField(name, plainText(call.form[name])),
  );
  return banner({
    tone: 'warn',
    role: 'alert',
    text: html`${happened} Your change is not made yet: <b><bdi>${words}</bdi></b>.`,
    more: !isPossible && html`<p>The entry that you changed no longer exists.</p>`,
    actions: html`${
      isPossible &&
      html`<form method="post" action="${address}">${csrfField(call)}${fields}${hiddenField(
        'Version',
        String(version),
      )}${hiddenField('Case', plainText(call.form['Case']))}${button({
        text: 'Apply it to theirs',
        attributes: html`id="on-theirs" autofocus`,
      })}</form>`
    }${buttonLink({ text: 'Discard mine', kind: 'quiet', href: address })}`,
  });
}
