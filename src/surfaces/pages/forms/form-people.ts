import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { isBuiltinUser } from '../../../kernel/security/system-user.ts';
import { parseRows, rowsJson } from '../../../lib/answers/answer-rows.ts';
import type { PageCall } from '../page-call.ts';
import type { FormView, QuestionView } from './form-view.ts';

/** Most users that a question offers in a list; of more, people enter the sign-in name. */
const PEOPLE_MAX = 200;

type PersonRow = Pick<RowNamed<'Person'>, 'PersonID' | 'Person' | 'FirstName' | 'LastName' | 'Status'>;

/** Returns a form whose questions for users have the users as choices, by name, as far as the user may see them. */
export async function withPeople(call: PageCall, form: FormView): Promise<FormView> {
  const chosen = form.questions.flatMap(personIds);
  if (!form.questions.some(hasPersons) || !call.may('person/search')) return form;
  const search = async (filter: {
    readonly ID?: string;
    readonly DisplaySize: number;
  }): Promise<readonly PersonRow[]> =>
    (await call.call('person/search', { ...filter, OrderBy: 'Person', RecordCount: 'false' })).answer.rows;
  const [all, own] = await Promise.all([
    search({ DisplaySize: PEOPLE_MAX + 1 }),
    chosen.length === 0 ? [] : search({ ID: [...new Set(chosen)].join(','), DisplaySize: PEOPLE_MAX }),
  ]);
  const active = all.filter((row) => (row.Status ?? 'Active') === 'Active' && !isBuiltin(row));
  const offered = all.length > PEOPLE_MAX ? [] : active;
  const people = [...new Map([...offered, ...own].map((row) => [row.PersonID, row])).values()];
  const isList = offered.length > 0;
  return {
    ...form,
    questions: form.questions.map((question) => {
      if (question.type === 'Person') return withChoices(question, people, isList);
      return hasPersons(question) ? withColumnChoices(question, people, isList) : question;
    }),
  };
}

/** Whether a question, or a column of it, is answered with a user. */
function hasPersons({ type, columns }: QuestionView): boolean {
  return type === 'Person' || columns.some((column) => column.type === 'Person');
}

/** Returns the IDs of the users that answer a question. */
function personIds({ type, columns, value }: QuestionView): readonly string[] {
  const rows = type === 'Rows' ? (parseRows(value) ?? []) : [];
  const names = columns.filter((column) => column.type === 'Person').map(({ name }) => name);
  const answers = [
    ...(type === 'Person' ? [value] : []),
    ...rows.flatMap((row) => names.map((name) => row.get(name) ?? '')),
  ];
  return answers.filter((answer) => /^\d{1,15}$/.test(answer));
}

/** Returns a question whose columns for users have the users as choices. */
function withColumnChoices(question: QuestionView, people: readonly PersonRow[], isList: boolean): QuestionView {
  const names = new Set(question.columns.filter(({ type }) => type === 'Person').map(({ name }) => name));
  const choices = people.map((row) => ({ code: String(row.PersonID), label: personName(row), isChosen: false }));
  const signInNames = new Map(people.map((row) => [String(row.PersonID), row.Person ?? '']));
  const named = (text: string): string => {
    const rows = isList ? undefined : parseRows(text);
    if (!rows) return text;
    return rowsJson(
      rows.map(
        (row) =>
          new Map([...row].map(([name, cell]) => [name, names.has(name) ? (signInNames.get(cell) ?? cell) : cell])),
      ),
    );
  };
  return {
    ...question,
    value: named(question.value),
    saved: named(question.saved),
    columns: question.columns.map((column) => (names.has(column.name) && isList ? { ...column, choices } : column)),
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
