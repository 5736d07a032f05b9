// Work mode: claims the item that is shown, stores answers, and goes to the next item without a new page.
import { announce } from './announce.ts';
import { callOperation, NO_ANSWER } from './call.ts';
import { fetchPage } from './morph.ts';
import { defineTaskAnswers, TaskAnswers } from './task-answers.ts';

/** A sign of work extends the claim at most this often. */
const CLAIM_MILLISECONDS = 120_000;

/** The panes of work mode. `data-item`: the work item that is shown and can be worked on. */
class WorkMode extends HTMLElement {
  private claimed = Number.NEGATIVE_INFINITY;
  private isSending = false;

  connectedCallback(): void {
    for (const type of ['keydown', 'pointerdown', 'change']) this.addEventListener(type, this.extendClaim);
    this.addEventListener('submit', this.submit);
    document.addEventListener('answers-saved', this.showSaved);
    document.addEventListener('answers-checked', this.showProblems);
    this.extendClaim();
  }

  disconnectedCallback(): void {
    document.removeEventListener('answers-saved', this.showSaved);
    document.removeEventListener('answers-checked', this.showProblems);
  }

  /** Claims the item, when it is shown and with later signs of work. Somebody else may have it by now. */
  private readonly extendClaim = (): void => {
    const item = this.dataset['item'] ?? '';
    if (item === '' || performance.now() - this.claimed < CLAIM_MILLISECONDS) return;
    this.claimed = performance.now();
    void this.claim(item);
  };

  private async claim(item: string): Promise<void> {
    const { status, data, error } = await callOperation('smartworklistmember/claim', { ID: item });
    if (!this.isConnected) return;
    const { RecordVersion: version } = (data ?? {}) as { RecordVersion?: number };
    const field = this.querySelector<HTMLInputElement>('#task-form input[name=Version]');
    if (version !== undefined && field) field.value = String(version);
    if (data !== undefined || status === NO_ANSWER) return;
    // The page that says who has it, and leads on.
    const shown = await this.showPage(`/work?item=${item}`);
    if (!shown) announce(error ?? '');
  }

  private readonly submit = (event: SubmitEvent): void => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset['next'] === undefined) return;
    const { submitter } = event;
    if (submitter instanceof HTMLButtonElement && submitter.value !== 'complete') return;
    event.preventDefault();
    if (this.isSending) return;
    this.isSending = true;
    void this.complete(form, submitter);
  };

  private async complete(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
    submitter?.setAttribute('aria-busy', 'true');
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form, submitter)) if (typeof value === 'string') body.append(name, value);
    const shown = await this.showPage(form.action, { method: 'POST', body });
    this.isSending = false;
    submitter?.removeAttribute('aria-busy');
    if (!shown) this.report('No connection. Your answers are kept. Press Complete again when the line is back.');
  }

  /** Shows a page of work mode in place of this one. */
  private async showPage(address: string, options: RequestInit = {}): Promise<boolean> {
    const answers = this.querySelector<TaskAnswers>('task-answers');
    const fetched = await fetchPage(address, options);
    if ('error' in fetched) return false;
    const [main, next] = [document.getElementById('main'), fetched.document.getElementById('main')];
    if (!main || !next) return false;
    const isRejected = next.querySelector('[role=alert]') !== null;
    if (!isRejected) answers?.forget();
    for (const id of ['top-left', 'toasts']) {
      const [old, fresh] = [document.getElementById(id), fetched.document.getElementById(id)];
      if (old && fresh) old.replaceChildren(...fresh.childNodes);
    }
    main.replaceChildren(...next.childNodes);
    document.title = fetched.document.title;
    history.pushState({}, '', fetched.address);
    focusFirst(main, isRejected);
    return true;
  }

  private readonly showSaved = (event: Event): void => {
    const { text, isSaved, href } = (event as CustomEvent<{ text: string; isSaved: boolean; href?: string }>).detail;
    this.report(text, isSaved, href);
  };

  private report(text: string, isSaved = false, href?: string): void {
    const status = this.querySelector<HTMLElement>('[data-saved]');
    if (!status) return;
    status.classList.toggle('late', !isSaved && text !== 'Saving');
    status.classList.toggle('is-saved', isSaved);
    const words = status.querySelector('span');
    if (!words) return;
    words.textContent = text;
    if (href === undefined) return;
    const link = document.createElement('a');
    link.className = 'link';
    link.href = href;
    link.textContent = ' Sign in';
    words.append(link);
  }

  private readonly showProblems = (event: Event): void => {
    const { detail: count } = event as CustomEvent<number>;
    const note = this.querySelector<HTMLElement>('[data-problems]');
    if (!note) return;
    note.hidden = count === 0;
    const words = note.querySelector('span');
    if (words) words.textContent = `${count} ${count === 1 ? 'answer' : 'answers'} to check`;
  };
}

/** Moves the focus to the first wrong answer, else to the heading, which is read out. */
function focusFirst(main: HTMLElement, isRejected: boolean): void {
  const wrong = main.querySelector<HTMLElement>('[aria-invalid=true]');
  const field = wrong?.matches('fieldset') === true ? wrong.querySelector<HTMLElement>('input') : wrong;
  if (isRejected && field) field.focus();
  else main.querySelector<HTMLElement>('h1')?.focus();
}

defineTaskAnswers();
customElements.define('work-mode', WorkMode);
