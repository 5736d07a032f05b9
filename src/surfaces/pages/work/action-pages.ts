import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { selectField, textAreaField, textField } from '../design/field.ts';
import { localInputValue } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { givingText, receivers } from './give-away.ts';
import { readCurrentItem, readItemRow, type CurrentItem } from './current-item.ts';
import { goneReason, gonePane } from './gone-pane.ts';
import { itemTitle } from './item-cases.ts';
import { queueOf, workPath } from './work-address.ts';

/** A question before an action on an item. */
interface ActionQuestion {
  readonly text: Markup | string;
  readonly fields: Markup;
  readonly verb: string;
  readonly more?: Markup | false;
}

/** An action that asks something first. */
interface ItemAction {
  readonly name: (call: PageCall) => string;
  readonly ask: (call: PageCall, item: CurrentItem, error: PlatformError | undefined) => Promise<ActionQuestion>;
}

const noteAction: ItemAction = { name: () => 'Note', ask: askNote };

const itemActions: ReadonlyMap<string, ItemAction> = new Map(
  Object.entries({
    skip: { name: (): string => 'Skip', ask: askSkip },
    note: noteAction,
    reassign: { name: givingText, ask: askReassign },
  }),
);

/** Asks until when an item is to be skipped, and why. */
export const skipPage = page((call) => actionAnswer(call, 'skip'));
/** Takes a note on the item's case. */
export const notePage = page((call) => actionAnswer(call, 'note'));
/** Asks to whom an item is to be given. */
export const reassignPage = page((call) => actionAnswer(call, 'reassign'));

/** Whether a page asks something before an action. */
export function asksFirst(action: string): boolean {
  return itemActions.has(action);
}

/** Shows what is asked before an action, with what was entered if it was refused. */
export async function actionAnswer(call: PageCall, action: string, error?: PlatformError): Promise<PageAnswer> {
  const { name: nameOf, ask } = itemActions.get(action) ?? noteAction;
  const name = nameOf(call);
  const id = plainText(call.form['ID'] ?? call.query['item']);
  const row = await readItemRow(call, id);
  const gone = await goneReason(call, row);
  if (!row || gone !== undefined)
    return {
      title: name,
      place: 'work',
      body: gonePane(call, { reason: gone ?? '', hasNext: true }),
      status: row ? 422 : 404,
    };
  const question = await ask(call, await readCurrentItem(call, row), error?.masked());
  const from = plainText(call.form['from'] ?? call.query['from']);
  const back = from === 'home' ? '/' : workPath(call, id);
  return {
    title: name,
    place: 'work',
    status: error?.status ?? 200,
    crumbs: [{ text: 'My work', href: back }, { text: name }],
    body: html`<div class="page narrow">
<div><h1>${name}: <bdi>${itemTitle(call, row)}</bdi></h1><p class="soft">${question.text}</p></div>
${error && banner({ tone: 'danger', role: 'alert', text: error.masked().message })}
${questionForm(call, { id, from, back, action, question })}
</div>`,
  };
}

interface QuestionForm {
  readonly id: string;
  readonly from: string;
  readonly back: string;
  readonly action: string;
  readonly question: ActionQuestion;
}

function questionForm(call: PageCall, { id, from, back, action, question }: QuestionForm): Markup {
  const { fields, verb, more = false } = question;
  return html`<form class="form" method="post" action="/work">
${csrfField(call)}${hiddenField('ID', id)}${hiddenField('queue', queueOf(call))}${hiddenField('from', from)}
${fields}
<div class="row">${button({ text: verb, kind: 'primary', name: 'Do', value: action })}${more}${buttonLink({
    text: 'Cancel',
    kind: 'quiet',
    href: back,
  })}</div>
</form>`;
}

/** Returns what was entered in a field, and what is wrong with it. */
function entered(
  call: PageCall,
  name: string,
  first: string,
  error: PlatformError | undefined,
): { readonly name: string; readonly value: string; readonly error?: string } {
  const value = plainText(call.form[name] ?? first);
  return error?.field === name ? { name, value, error: sentenceFor(error) } : { name, value };
}

function askSkip(call: PageCall, { row }: CurrentItem, error: PlatformError | undefined): Promise<ActionQuestion> {
  const tomorrow = new Date(call.platform.clock.milliseconds() + DAY_MILLISECONDS).toISOString();
  return Promise.resolve({
    text: 'It comes back to you at that time. Nobody else gets it before.',
    fields: html`${textField({
      ...entered(call, 'SkipDate', localInputValue(call, tomorrow).slice(0, 16), error),
      label: 'Until',
      type: 'datetime-local',
      isRequired: true,
      attributes: html`autofocus`,
    })}
${textAreaField({
  ...entered(call, 'ReasonDetail', row.ReasonDetail ?? '', error),
  label: 'Why',
  isRequired: false,
  rows: 2,
})}`,
    verb: 'Skip it',
    more:
      row.StartDate !== null &&
      button({ text: 'Return it to its queue', name: 'Do', value: 'release', attributes: html`formnovalidate` }),
  });
}

function askNote(
  call: PageCall,
  { about, aboutCase }: CurrentItem,
  error: PlatformError | undefined,
): Promise<ActionQuestion> {
  return Promise.resolve({
    text: html`It is added to <bdi>${aboutCase.name}</bdi>. Only your company sees notes.`,
    fields: html`${hiddenField('Object', about.Object)}${hiddenField('ObjectID', about.ObjectID)}
${textAreaField({
  ...entered(call, 'BodyText', '', error),
  label: 'Note',
  rows: 5,
  isRequired: true,
  attributes: html`autofocus`,
})}`,
    verb: 'Add the note',
  });
}

async function askReassign(
  call: PageCall,
  { row }: CurrentItem,
  error: PlatformError | undefined,
): Promise<ActionQuestion> {
  return {
    text: 'Whoever gets it sees the answers that were entered.',
    fields: selectField({
      ...entered(call, 'To', '', error),
      label: 'To',
      choices: await receivers(call, row.TeamID),
      empty: call.may('smartworklistmember/reassign') ? 'Choose a person or a team' : 'Choose a colleague',
      isRequired: true,
      attributes: html`autofocus`,
    }),
    verb: givingText(call),
  };
}

const DAY_MILLISECONDS = 86_400_000;
