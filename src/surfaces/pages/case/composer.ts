import { randomUUID } from 'node:crypto';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { option } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { icon, type IconName } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { draftOfAddress, readComposeData } from '../messages/compose-data.ts';
import { composeForm } from '../messages/compose-form.ts';
import type { CaseView } from './case-view.ts';
import type { WorkflowRow } from './step-view.ts';
import { workflowName } from './workflow-section.ts';

/** What can be written on a case. */
type ComposerKind = 'note' | 'mail' | 'task' | 'hold';

/** What the forms of the composer offer. */
export interface ComposerParts {
  readonly call: PageCall;
  /** The address of the case's page. */
  readonly path: string;
  readonly taskTypes: readonly string[];
  /** Undefined where the user may not place a hold. */
  readonly holdTypes: readonly string[] | undefined;
  readonly workflows: readonly WorkflowRow[];
  /** The form of a message, where it is what is written; undefined where the user may not send one. */
  readonly mail: Markup | false | undefined;
  /** Why what was sent was refused. The form still has it. */
  readonly refused: PlatformError | undefined;
}

interface KindTab {
  readonly kind: ComposerKind;
  readonly text: string;
  readonly key: string;
  readonly icon: IconName;
}

const kinds: readonly KindTab[] = [
  { kind: 'note', text: 'Note', key: 'n', icon: 'note' },
  { kind: 'mail', text: 'Mail', key: 'm', icon: 'message' },
  { kind: 'task', text: 'Task', key: 't', icon: 'task' },
  { kind: 'hold', text: 'Hold', key: 'h', icon: 'hold' },
];

/**
 * Renders the form of a message about a case, if the address says that one is written; false if one may be, undefined
 * if the user may not send any.
 */
export async function caseMail(call: PageCall, view: CaseView): Promise<Markup | false | undefined> {
  if (!call.may('message/generate')) return undefined;
  if (plainText(call.query['compose']) !== 'mail') return false;
  const start = await draftOfAddress(call);
  const isTab = plainText(call.query['tab']) === 'messages';
  const draft = {
    ...start,
    object: view.record.name,
    objectId: String(view.id),
    back: isTab ? `${view.path}?tab=messages` : view.path,
    key: randomUUID(),
  };
  const data = await readComposeData(call, draft, view.parties);
  return composeForm(call, { draft, data, isInline: true, isChosen: true });
}

/** Renders the composer: one form at a time, each at an address of its own. */
export function composer(parts: ComposerParts): Markup | false {
  const { call, path } = parts;
  const offered = kinds.filter(({ kind }) => isOffered(parts, kind));
  const sent = plainText(call.form['Action']);
  const chosen = plainText(call.query['compose']);
  const current = offered.find(({ kind }) => kind === (sent || chosen)) ?? offered[0];
  if (!current) return false;
  const isChosen = chosen === current.kind || sent === current.kind;
  // A tab of its own keeps its place.
  const place = plainText(call.query['tab']) === 'messages' ? 'tab=messages&' : '';
  const tab = ({ kind, text, key, icon: name }: KindTab): Markup =>
    html`<a href="${path}?${place}compose=${kind}" data-key="${key}"${
      kind === current.kind && html` aria-current="true"`
    }>${icon(name, 14)}${text}</a>`;
  return html`<section class="composer" id="composer" data-composer="${path}:${current.kind}" aria-label="Write">
<div class="composer-head"><nav class="composer-kinds" aria-label="What to write">${offered.map(tab)}</nav>
<span class="muted small end">${audience(current.kind)}</span></div>
${current.kind === 'mail' ? parts.mail : ownForm(parts, current.kind, isChosen)}</section>`;
}

/** Renders the form of what the case's own page stores. */
function ownForm(parts: ComposerParts, kind: ComposerKind, isChosen: boolean): Markup {
  const { call, path, refused } = parts;
  return html`<form method="post" action="${path}" class="composer-form">
${csrfField(call)}
${
  refused &&
  plainText(call.form['Action']) === kind &&
  banner({ tone: 'danger', role: 'alert', text: refused.masked().message })
}
${formOf(parts, kind, isChosen)}
</form>`;
}

function isOffered({ call, holdTypes, taskTypes, mail }: ComposerParts, kind: ComposerKind): boolean {
  if (kind === 'note') return call.may('message/save');
  if (kind === 'mail') return mail !== undefined;
  if (kind === 'task') return call.may('importform/save') && taskTypes.length > 0;
  return holdTypes !== undefined && holdTypes.length > 0;
}

function audience(kind: ComposerKind): string {
  if (kind === 'note') return 'Only your company sees notes';
  if (kind === 'mail') return 'Sent outside your company';
  return kind === 'task' ? 'Whoever works on the case sees tasks' : 'Everyone on the case sees holds';
}

function formOf(parts: ComposerParts, kind: ComposerKind, isChosen: boolean): Markup {
  if (kind === 'note') return noteForm(parts, isChosen);
  return kind === 'task' ? taskForm(parts, isChosen) : holdForm(parts, isChosen);
}

/** Returns what was sent for a field of a refused form. */
function sentText({ call }: ComposerParts, kind: ComposerKind, name: string): string {
  return call.form['Action'] === kind ? plainText(call.form[name]) : '';
}

const sendHint = html`<span class="keys-hint">${keyHint('Ctrl+Enter')}</span>`;

function noteForm(parts: ComposerParts, isChosen: boolean): Markup {
  const text = sentText(parts, 'note', 'BodyText');
  return html`<label class="hidden" for="compose-text">Note</label>
<textarea class="composer-text" id="compose-text" name="BodyText" rows="2" required placeholder="Write a note."${
    isChosen && html` autofocus`
  }>\n${text}</textarea>
<div class="row composer-foot"><span class="grow"></span>${sendHint}
${button({ text: 'Add note', name: 'Action', value: 'note' })}</div>`;
}

function taskForm(parts: ComposerParts, isChosen: boolean): Markup {
  const [type, due] = [sentText(parts, 'task', 'Template'), sentText(parts, 'task', 'ProjectedCompletion')];
  const types = parts.taskTypes.map((name) => option(name, name, name === type));
  return html`<div class="composer-fields">
<label class="field"><span class="field-label">Task</span><select class="input" name="Template" required${
    isChosen && html` autofocus`
  }><option value=""></option>${types}</select></label>
<label class="field"><span class="field-label">Due</span>
<input class="input" type="date" name="ProjectedCompletion" value="${due}"></label></div>
<div class="row composer-foot"><span class="grow"></span>${sendHint}
${button({ text: 'Add task', name: 'Action', value: 'task' })}</div>`;
}

function holdForm(parts: ComposerParts, isChosen: boolean): Markup {
  const sent = (name: string): string => sentText(parts, 'hold', name);
  const types = (parts.holdTypes ?? []).map((type) => option(type, type, type === sent('DecisionDelay')));
  const workflows = parts.workflows.map((row) => {
    const id = String(row.DecisionID);
    return option(id, `Only the workflow ${workflowName(row)}`, id === sent('DecisionID'));
  });
  return html`<div class="composer-fields">
<label class="field"><span class="field-label">Hold</span><select class="input" name="DecisionDelay" required${
    isChosen && html` autofocus`
  }><option value=""></option>${types}</select></label>
<label class="field"><span class="field-label">What to hold</span><select class="input" name="DecisionID">
<option value="">The whole case</option>${workflows}</select></label>
<label class="field"><span class="field-label">Review on</span>
<input class="input" type="date" name="ReviewDate" value="${sent('ReviewDate')}"></label></div>
<label class="hidden" for="compose-text">Reason</label>
<textarea class="composer-text" id="compose-text" name="ReasonDetail" rows="2" placeholder="Why?">\n${sent(
    'ReasonDetail',
  )}</textarea>
<div class="row composer-foot"><span class="grow"></span>${sendHint}
${button({ text: 'Place hold', name: 'Action', value: 'hold' })}</div>`;
}
