import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { facts } from '../design/list.ts';
import { recentTime } from '../due-words.ts';
import { changedAnswers, questionPrompt, submittedWords } from '../forms/questions.ts';
import { readFormView } from '../forms/submit-form.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { loadPeople, type PeopleNames } from '../people.ts';
import { plainText } from '../plain-text.ts';
import type { ItemRow } from './current-item.ts';
import { queueOf } from './work-address.ts';
import { itemTitle, type RecordReference } from './item-cases.ts';
import { nextButton } from './item-state.ts';

/** Why an item cannot be worked on, in words; undefined if it can. */
export async function goneReason(call: PageCall, row: ItemRow | undefined): Promise<string | undefined> {
  if (!row) return 'This item does not exist, or you don’t have access to it.';
  const people = await loadPeople(call, [row.PersonID, row.UpdatedPersonID]);
  const title = itemTitle(call, row);
  const [owner, last] = [nameOf(call, people, row.PersonID), nameOf(call, people, row.UpdatedPersonID)];
  const at = (instant: string): string => recentTime(call, instant);
  if (row.CompletionDate !== null) return `“${title}” was completed by ${last}, ${at(row.CompletionDate)}.`;
  if (row.CancelledDate !== null) return `“${title}” was canceled, ${at(row.CancelledDate)}. Nothing is left to do.`;
  if (row.PersonID !== null && row.PersonID !== call.user.personId)
    return row.StartDate === null
      ? `“${title}” was assigned to ${owner}, ${at(row.UpdatedDate ?? row.CreatedDate)}.`
      : `${owner} is working on “${title}” since ${at(row.StartDate)}.`;
  return undefined;
}

function nameOf(call: PageCall, people: PeopleNames, id: number | null): string {
  if (id === call.user.personId) return 'you';
  return people.get(id ?? 0) ?? 'somebody else';
}

/** What a user entered for an item that somebody else completed first, by the prompts of the questions. */
export interface EnteredAnswers {
  readonly about: RecordReference;
  readonly answers: readonly { readonly prompt: string; readonly text: string }[];
}

/** Returns what was submitted for an item, in words; undefined without answers. */
export async function enteredAnswers(call: PageCall, row: ItemRow): Promise<EnteredAnswers | undefined> {
  const sent = changedAnswers(call.form);
  if (Object.keys(sent).length === 0 || !call.may('importform/describe')) return undefined;
  const form = await readFormView(call, 'describe', { ID: row.SourceObjectID });
  return {
    about: { Object: form.object, ObjectID: form.objectId },
    answers: form.questions.flatMap((question) => {
      const text = sent[question.name];
      return text === undefined ? [] : [{ prompt: questionPrompt(question), text: submittedWords(question, text) }];
    }),
  };
}

/** How an item that cannot be worked on is shown. */
interface GonePaneOptions {
  readonly reason: string;
  readonly hasNext: boolean;
  readonly entered?: EnteredAnswers | undefined;
}

/** Renders why an item cannot be worked on, what the user has entered for it, and the way on. */
export function gonePane(call: PageCall, { reason, hasNext, entered }: GonePaneOptions): Markup {
  return html`<section class="work-item scroll" aria-labelledby="item-title" tabindex="0"><div class="work-column">
<h1 id="item-title" tabindex="-1">This item is no longer yours to do</h1>
${banner({
  tone: 'warn',
  role: 'status',
  text: reason,
  more:
    entered === undefined &&
    html`<p>Answers that you entered are in the task’s draft. Whoever works on it sees them.</p>`,
  actions: hasNext ? nextButton(call) : html`<a class="button" href="/">Home</a>`,
})}
${entered && enteredPart(call, entered)}
</div></section>`;
}

/** Renders what was entered, and how it is kept: as a note on the case. */
function enteredPart(call: PageCall, { about, answers }: EnteredAnswers): Markup {
  const text = answers
    .map((answer) => `${answer.prompt}${answer.prompt.endsWith('?') ? '' : ':'} ${answer.text}`)
    .join('\n');
  const note = html`<form method="post" action="/work">${csrfField(call)}
${hiddenField('ID', plainText(call.form['ID']))}${hiddenField('queue', queueOf(call))}
${hiddenField('Object', about.Object ?? '')}${hiddenField('ObjectID', about.ObjectID ?? '')}${hiddenField(
    'BodyText',
    text,
  )}
${button({ text: 'Add it as a note to the case', name: 'Do', value: 'note' })}</form>`;
  return html`<section class="stack" aria-labelledby="entered-title">
<h2 id="entered-title">What you entered was not saved</h2>
${facts(answers.map((answer) => [answer.prompt, html`<bdi class="text">${answer.text}</bdi>`]))}
${call.may('message/save') && note}</section>`;
}
