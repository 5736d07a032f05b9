import { announce } from './announce.ts';
import { AnswerRows, defineAnswerRows, type EvaluatedRows } from './answer-rows.ts';
import { callOperation, NO_ANSWER } from './call.ts';

/** Waiting time before answers that could not be stored are sent again. */
const RETRY_MILLISECONDS = 4000;
const NOT_SIGNED_IN = 401;
const ANSWER_PREFIX = 'answer.';
const ORIGINAL_PREFIX = 'before.';

/** A question as the server evaluated it. */
interface EvaluatedQuestion extends EvaluatedRows {
  readonly Name: string;
  readonly Shown: boolean;
  readonly Required: boolean;
  readonly Calculated: boolean;
  readonly Value?: string;
  readonly Problem?: string;
}

/**
 * The answers of a task's form. On leaving a field its answer is stored as a draft, and the server says which questions
 * apply now, what is wrong, and what the calculated answers are. Answers that could not be stored stay in this tab and
 * are sent again, also after the user signed in anew. A new task has no draft: its answers are only evaluated.
 */
export class TaskAnswers extends HTMLElement {
  /** Answers that are not stored yet, by the name of their question. */
  private readonly pending = new Map<string, string>();
  private isSending = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** Ends the request that is under way. */
  private sending = new AbortController();
  /** Whether the form itself is being sent, with all answers: a draft that comes after it would be refused. */
  private isHeld = false;

  connectedCallback(): void {
    if (this.dataset['closed'] !== undefined) return;
    this.addEventListener('input', this.note);
    this.addEventListener('change', this.take);
    this.addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.matches('[data-clear]')) clearChoice(target);
    });
    this.addEventListener('keydown', (event) => {
      const { target, key } = event;
      if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
      if (key === 'Delete' || key === 'Backspace') clearChoice(target);
    });
    window.addEventListener('online', this.send);
    this.restore();
    if (this.pending.size > 0) this.send();
  }

  disconnectedCallback(): void {
    window.removeEventListener('online', this.send);
    clearTimeout(this.retry);
  }

  /** Whether the user has entered something. */
  isTouched = false;

  /** Sends no answers, because the form itself is about to be sent. */
  hold(): void {
    this.isHeld = true;
    this.sending.abort();
  }

  /** Sends answers again: the form was not taken. */
  release(): void {
    this.isHeld = false;
    this.send();
  }

  /** Forgets what waits: the form itself has just been sent. */
  forget(): void {
    this.pending.clear();
    this.remember();
  }

  /** Notes an answer while it is typed, so that it survives if the page does not. */
  private readonly note = ({ target }: Event): void => {
    const question = questionOf(target);
    if (question === undefined) return;
    this.isTouched = true;
    this.pending.set(question, this.answerOf(question));
    this.remember();
  };

  private readonly take = (event: Event): void => {
    this.note(event);
    this.send();
  };

  /** Sends what waits, one request at a time. */
  private readonly send = (): void => {
    if (this.isSending || this.isHeld || this.pending.size === 0 || !this.isConnected) return;
    clearTimeout(this.retry);
    this.isSending = true;
    void this.sendPending();
  };

  private async sendPending(): Promise<void> {
    const sent = new Map(this.pending);
    const task = this.dataset['task'] ?? '';
    this.report('Saving', false);
    this.sending = new AbortController();
    const { signal } = this.sending;
    // The names of answers are those of the installation's questions.
    const answers = Object.fromEntries(sent);
    const answer = await (task === ''
      ? callOperation('importform/evaluate', this.newTask())
      : callOperation('importform/draft', { ...answers, ID: task }, { signal }));
    const { status, data, error } = answer;
    this.isSending = false;
    if (!this.isConnected || signal.aborted) return;
    if (data !== undefined) {
      for (const [name, value] of sent) if (this.pending.get(name) === value) this.pending.delete(name);
      this.remember();
      this.show(data, new Set(sent.keys()));
      if (task === '') this.report('', false);
      else if (this.pending.size === 0) this.report(`Saved ${timeOf(data)}`, true);
      this.send();
    } else if (status === NOT_SIGNED_IN)
      this.report('Your session has ended. Your answers are kept in this tab.', false, signInAddress());
    else if (status === NO_ANSWER || status >= 500) {
      this.report('No connection. Your answers are kept here and sent again.', false);
      this.retry = setTimeout(this.send, RETRY_MILLISECONDS);
    } else this.report(error ?? 'Not saved.', false);
  }

  /** Returns the parameters that evaluate the form of a new task. */
  private newTask(): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const name of ['Template', 'TemplateID', 'Object', 'ObjectID']) {
      const input = this.querySelector<HTMLInputElement>(`input[name="${name}"]`);
      if (input) fields[name] = input.value;
    }
    for (const input of this.querySelectorAll<HTMLInputElement>(`input[name^="${ORIGINAL_PREFIX}"]`)) {
      const name = input.name.slice(ORIGINAL_PREFIX.length);
      fields[name] = this.answerOf(name);
    }
    return fields;
  }

  /** Returns the current answer to a question, several choices as one text. */
  private answerOf(question: string): string {
    const rows = this.rowsOf(question);
    if (rows) return rows.answer;
    const form = this.querySelector('form');
    const values = form ? new FormData(form).getAll(ANSWER_PREFIX + question) : [];
    return values.filter((value) => typeof value === 'string').join('|');
  }

  private rowsOf(question: string): AnswerRows | undefined {
    return [...this.querySelectorAll<AnswerRows>('answer-rows')].find((rows) => rows.question === question);
  }

  private show(data: unknown, answered: ReadonlySet<string>): void {
    const { Form: form } = data as { Form?: { Questions?: readonly EvaluatedQuestion[] } };
    for (const question of form?.Questions ?? []) this.showQuestion(question, answered.has(question.Name));
    const wrong = this.querySelectorAll('.question:not([hidden]) .wrong:not([hidden])').length;
    document.dispatchEvent(new CustomEvent('answers-checked', { detail: wrong }));
  }

  private showQuestion(question: EvaluatedQuestion, isAnswered: boolean): void {
    const element = this.questionElement(question.Name);
    if (!element) return;
    element.hidden = !question.Shown;
    const optional = element.querySelector<HTMLElement>('[data-optional]');
    if (optional) optional.hidden = question.Required;
    const output = element.querySelector('output');
    if (output && question.Calculated) output.textContent = question.Value ?? '–';
    this.rowsOf(question.Name)?.show(question);
    showProblem(element, question, isAnswered);
  }

  private questionElement(name: string): HTMLElement | undefined {
    return [...this.querySelectorAll<HTMLElement>('[data-question]')].find(
      (element) => element.dataset['question'] === name,
    );
  }

  private report(text: string, isSaved: boolean, href?: string): void {
    document.dispatchEvent(new CustomEvent('answers-saved', { detail: { text, isSaved, href } }));
    if (!isSaved && text !== 'Saving') announce(text);
  }

  private get storageKey(): string {
    return `answers ${this.dataset['task'] ?? ''}`;
  }

  /** Stores what waits in this tab, where it survives signing in again but not closing the tab. */
  private remember(): void {
    if (this.dataset['task'] === '') return;
    if (this.pending.size === 0) sessionStorage.removeItem(this.storageKey);
    else sessionStorage.setItem(this.storageKey, JSON.stringify([...this.pending]));
  }

  private restore(): void {
    const stored = this.dataset['task'] === '' ? null : sessionStorage.getItem(this.storageKey);
    if (stored === null) return;
    for (const [name, value] of JSON.parse(stored) as [string, string][]) {
      this.pending.set(name, value);
      this.fill(name, value);
    }
    this.isTouched = true;
  }

  private fill(name: string, value: string): void {
    const rows = this.rowsOf(name);
    if (rows) {
      rows.fill(value);
      return;
    }
    const chosen = new Set(value.split('|'));
    const fields = this.querySelectorAll<HTMLInputElement>(`[name="${CSS.escape(ANSWER_PREFIX + name)}"]`);
    for (const field of fields)
      if (field.type === 'radio' || field.type === 'checkbox') field.checked = chosen.has(field.value);
      else field.value = value;
  }
}

/** Shows what is wrong with the answer to a question. */
function showProblem(element: HTMLElement, question: EvaluatedQuestion, isAnswered: boolean): void {
  const wrong = element.querySelector<HTMLElement>(`#${CSS.escape(`e-${question.Name}`)}`);
  // What was not answered yet is not wrong yet.
  if (!wrong || (!isAnswered && wrong.hidden)) return;
  const problem = (question.Problem ?? '').replace(`${question.Name}: `, '');
  wrong.hidden = problem === '';
  const text = wrong.querySelector('span');
  if (text) text.textContent = problem.charAt(0).toUpperCase() + problem.slice(1);
  const control = element.matches('fieldset') ? element : element.querySelector('.input');
  if (problem === '') control?.removeAttribute('aria-invalid');
  else control?.setAttribute('aria-invalid', 'true');
}

/** Returns the name of the question that an element answers, or a cell of its rows. */
function questionOf(target: EventTarget | null): string | undefined {
  const rows = target instanceof Element ? target.closest<AnswerRows>('answer-rows') : null;
  if (rows) return rows.question;
  const name = (target as HTMLInputElement | null)?.name ?? '';
  return name.startsWith(ANSWER_PREFIX) ? name.slice(ANSWER_PREFIX.length) : undefined;
}

/** Takes back the choice of a group of radio buttons. The focus stays in the group. */
function clearChoice(inGroup: Element): void {
  const group = inGroup.closest('fieldset');
  const chosen = group?.querySelector<HTMLInputElement>('input[type=radio]:checked');
  if (!chosen) return;
  chosen.checked = false;
  chosen.focus();
  chosen.dispatchEvent(new Event('change', { bubbles: true }));
  announce('Answer cleared.');
}

/** Returns the time at which the server stored the draft. */
function timeOf(data: unknown): string {
  const { Form: form } = data as { Form?: { DraftDate?: string } };
  const stored = new Date(form?.DraftDate ?? '');
  return stored.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' });
}

/** Returns the address of the page for signing in, which leads back to this page. */
export function signInAddress(): string {
  return `/signin?returnTo=${encodeURIComponent(location.pathname + location.search)}`;
}

/** Registers the elements; a second time it does nothing. */
export function defineTaskAnswers(): void {
  defineAnswerRows();
  if (!customElements.get('task-answers')) customElements.define('task-answers', TaskAnswers);
}
