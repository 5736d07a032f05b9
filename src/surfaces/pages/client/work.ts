// Work mode: claims the item that is shown, stores answers, and goes to the next item without a new page.
import { announce } from './announce.ts';
import { callOperation, NO_ANSWER } from './call.ts';
import { openDocumentsBeside } from './document-drawer.ts';
import { whenReachable } from './forms.ts';
import { fetchPage, morphElement, type FetchedPage } from './morph.ts';
import { defineTaskAnswers, signInAddress, TaskAnswers } from './task-answers.ts';

/** A sign of work extends the claim at most this often. */
const CLAIM_MILLISECONDS = 120_000;
/** From this status on, the server failed: what was sent is not refused. */
const SERVER_FAILED = 500;

/** Returns the page's address without its fragment. */
const pageAddress = (): string => location.pathname + location.search;
/** The address of the item that is shown. */
let shownAddress = pageAddress();

/** The parts of the page that follow the open item. */
const FOLLOWING = ['item-state', 'work-hold', 'work-actions'];

/**
 * The panes of work mode. `data-item`: the work item that is shown and can be worked on; `data-address`: the address of
 * the page with it.
 */
class WorkMode extends HTMLElement {
  private claimed = Number.NEGATIVE_INFINITY;
  private isSending = false;
  private readonly gone = new AbortController();
  private readonly watcher = new MutationObserver(() => this.showChange());

  connectedCallback(): void {
    for (const type of ['keydown', 'pointerdown', 'change']) this.addEventListener(type, this.extendClaim);
    this.addEventListener('submit', this.submit);
    const { signal } = this.gone;
    document.addEventListener('answers-saved', this.showSaved, { signal });
    document.addEventListener('answers-checked', this.showProblems, { signal });
    const state = this.querySelector('#item-state');
    if (state) this.watcher.observe(state, { childList: true, subtree: true, attributeFilter: ['data-version'] });
    const { item = '', address } = this.dataset;
    // The page is read again by its address, which by itself names the next item and not this one.
    if (item !== '' && address !== undefined && !new URLSearchParams(location.search).has('item'))
      history.replaceState({}, '', address);
    shownAddress = pageAddress();
    this.extendClaim();
  }

  disconnectedCallback(): void {
    this.gone.abort();
    this.watcher.disconnect();
  }

  /** Claims the item, when it is shown and with later signs of work. Somebody else may have it by now. */
  private readonly extendClaim = (): void => {
    const item = this.dataset['item'] ?? '';
    if (item === '' || performance.now() - this.claimed < CLAIM_MILLISECONDS) return;
    const isFirst = this.claimed === Number.NEGATIVE_INFINITY;
    this.claimed = performance.now();
    void this.claim(item, isFirst);
  };

  private async claim(item: string, isFirst: boolean): Promise<void> {
    const { status, data, error } = await callOperation('smartworklistmember/claim', { ID: item });
    if (!this.isConnected || status === NO_ANSWER) return;
    const { RecordVersion: version } = (data ?? {}) as { RecordVersion?: number };
    const field = this.versionField();
    // Starting the item changed its record. What changes later was changed by somebody else.
    if (isFirst && version !== undefined && field) field.value = String(version);
    this.showChange();
    if (data !== undefined) return;
    if (this.isTouched()) await this.renewState();
    // The page that says who has it, and leads on.
    else if (!(await this.showPage(`/work?item=${item}`))) announce(error ?? '');
  }

  /** Whether the user has entered something for the item. */
  private isTouched(): boolean {
    return this.querySelector<TaskAnswers>('task-answers')?.isTouched === true;
  }

  /** Shows the state of the item, and keeps what was entered. */
  private async renewState(): Promise<void> {
    const address = new URL(location.href);
    address.searchParams.set('Part', 'live');
    const fetched = await fetchPage(address, { staysSignedOut: true });
    if (this.isConnected && !('error' in fetched)) for (const id of FOLLOWING) morphElement(fetched.document, id);
  }

  private versionField(): HTMLInputElement | null {
    return this.querySelector<HTMLInputElement>('#task-form input[name=Version]');
  }

  /** Says that somebody else has changed the task, if its version is later than the page's. */
  private showChange(): void {
    const note = this.querySelector<HTMLElement>('[data-version]');
    const isHidden = Number(note?.dataset['version']) <= Number(this.versionField()?.value);
    if (note && note.hidden !== isHidden) note.hidden = isHidden;
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

  /**
   * Completes the item, once. Without a connection it waits for it, and sends what the form holds then: the server
   * takes a repeated completion for the first one.
   */
  private async complete(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
    submitter?.setAttribute('aria-busy', 'true');
    let failure = await this.sendForm(form, submitter);
    while (failure === 'offline') {
      this.report('No connection. This item is completed as soon as the connection is back. Keep this page open.');
      await whenReachable(this.gone.signal);
      if (!this.isConnected) return;
      failure = await this.sendForm(form, submitter);
    }
    this.isSending = false;
    submitter?.removeAttribute('aria-busy');
    if (failure === 'signed out')
      this.report('Your session has ended. Your answers are kept in this tab.', false, signInAddress());
    else if (failure !== undefined) this.report('The server could not answer. Your answers are kept. Try again.');
  }

  private async sendForm(
    form: HTMLFormElement,
    submitter: HTMLElement | null,
  ): Promise<'offline' | 'signed out' | 'failed' | undefined> {
    const body = new URLSearchParams({ Part: 'next' });
    const data = new FormData(form, submitter?.isConnected === true ? submitter : null);
    for (const [name, value] of data) if (typeof value === 'string') body.append(name, value);
    body.set('Do', 'complete');
    const answers = this.querySelector<TaskAnswers>('task-answers');
    answers?.hold();
    const fetched = await fetchPage(form.action, { method: 'POST', body, staysSignedOut: true });
    const failure = this.failureOf(fetched);
    if (failure !== undefined) answers?.release();
    return failure;
  }

  private failureOf(fetched: FetchedPage): 'offline' | 'signed out' | 'failed' | undefined {
    if ('error' in fetched) return fetched.reason ?? 'failed';
    if (fetched.status >= SERVER_FAILED) return 'failed';
    return this.show(fetched.document, fetched.address) ? undefined : 'failed';
  }

  /** Shows a page of work mode in place of this one. */
  private async showPage(address: string): Promise<boolean> {
    const fetched = await fetchPage(address);
    return !('error' in fetched) && this.show(fetched.document, fetched.address);
  }

  private show(page: Document, fetchedFrom: string): boolean {
    const [main, next] = [document.getElementById('main'), page.getElementById('main')];
    if (!main || !next) return false;
    const isRejected = next.querySelector('[role=alert]') !== null;
    if (!isRejected) this.querySelector<TaskAnswers>('task-answers')?.forget();
    for (const id of ['top-left', 'toasts']) {
      const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
      if (old && fresh) old.replaceChildren(...fresh.childNodes);
    }
    const address = next.querySelector<HTMLElement>('work-mode')?.dataset['address'] ?? fetchedFrom;
    document.title = page.title;
    history.pushState({}, '', address);
    shownAddress = pageAddress();
    main.replaceChildren(...next.childNodes);
    document.dispatchEvent(new CustomEvent('page-shown'));
    focusFirst(main, isRejected);
    return true;
  }

  private readonly showSaved = (event: Event): void => {
    const { text, isSaved, href } = (event as CustomEvent<{ text: string; isSaved: boolean; href?: string }>).detail;
    // What waits for the connection is more than the answers.
    if (!this.isSending) this.report(text, isSaved, href);
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
    link.textContent = 'Sign in';
    words.append(' ', link);
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

// Items follow one another in the history without pages of their own. A link within the page only moves the focus.
window.addEventListener('popstate', () => {
  if (pageAddress() !== shownAddress) location.reload();
});

defineTaskAnswers();
openDocumentsBeside();
customElements.define('work-mode', WorkMode);
