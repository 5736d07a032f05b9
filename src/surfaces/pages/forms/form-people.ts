import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { isBuiltinUser } from '../../../kernel/security/system-user.ts';
import type { PageCall } from '../page-call.ts';
import type { FormView, QuestionView } from './form-view.ts';

/** Most users that a question offers in a list; of more, people enter the sign-in name. */
const PEOPLE_MAX = 200;

type PersonRow = Pick<RowNamed<'Person'>, 'PersonID' | 'Person' | 'FirstName' | 'LastName' | 'Status'>;

/** Returns a form whose questions for users have the users as choices, by name, as far as the user may see them. */
export async function withPeople(call: PageCall, form: FormView): Promise<FormView> {
  const questions = form.questions.filter(({ type }) => type === 'Person');
  if (questions.length === 0 || !call.may('person/search')) return form;
  const search = async (filter: {
    readonly ID?: string;
    readonly DisplaySize: number;
  }): Promise<readonly PersonRow[]> =>
    (await call.call('person/search', { ...filter, OrderBy: 'Person', RecordCount: 'false' })).answer.rows;
  const chosen = questions.map(({ value }) => value).filter((value) => /^\d{1,15}$/.test(value));
  const [all, own] = await Promise.all([
    search({ DisplaySize: PEOPLE_MAX + 1 }),
    chosen.length === 0 ? [] : search({ ID: chosen.join(','), DisplaySize: PEOPLE_MAX }),
  ]);
  const active = all.filter((row) => (row.Status ?? 'Active') === 'Active' && !isBuiltin(row));
  const offered = all.length > PEOPLE_MAX ? [] : active;
  const people = new Map([...offered, ...own].map((row) => [row.PersonID, row]));
  return {
    ...form,
    questions: form.questions.map((question) =>
      question.type === 'Person' ? withChoices(question, [...people.values()], offered.length > 0) : question,
    ),
  };
}

/** Whether a user is one as whom the platform works, and nobody else. */
function isBuiltin({ Person: name }: PersonRow): boolean {
  const user = { name: name ?? '' };
  return isBuiltinUser(user, 'System') || isBuiltinUser(user, 'Workflow');
}

function withChoices(question: QuestionView, people: readonly PersonRow[], isList: boolean): QuestionView {
  const choices = people.map((row) => {
    const code = String(row.PersonID);
    return { code, label: personName(row), isChosen: code === question.value };
  });
  const [chosen] = people.filter(({ PersonID: id }) => String(id) === question.value);
  // Without a list the sign-in name is entered, which the server takes as well as the id.
  return isList
    ? { ...question, choices }
    : { ...question, value: chosen?.Person ?? question.value, choices: choices.filter(({ isChosen }) => isChosen) };
}

function personName({ Person: signInName, FirstName: first, LastName: last }: PersonRow): string {
  const name = [first, last].filter((part) => (part ?? '') !== '').join(' ');
  return name === '' ? (signInName ?? '') : `${name} (${signInName ?? ''})`;
}
