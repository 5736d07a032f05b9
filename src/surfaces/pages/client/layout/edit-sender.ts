import { announce } from '../announce.ts';
import { fetchPage, morphElement } from '../morph.ts';

/** How long after a failure a change is sent again. */
const RETRY_MILLISECONDS = 5_000;

/** Sends changes of a draft one after the other. Those that could not be sent wait, also over a reload. */
export class EditSender {
  private waiting: string[];
  private isSending = false;
  /** Whether somebody else changed the draft, so that the user decides before anything else is sent. */
  private isPaused = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly address: string;

  constructor(address: string) {
    this.address = address;
    this.waiting = JSON.parse(sessionStorage.getItem(this.key()) ?? '[]') as string[];
    window.addEventListener('online', () => this.schedule(0));
    if (this.waiting.length > 0) this.schedule(0);
  }

  /** Sends a form of the editor with the button that was pressed. */
  send(fields: URLSearchParams): void {
    if (this.isPaused) this.waiting.unshift(fields.toString());
    else this.waiting.push(fields.toString());
    this.isPaused = false;
    this.store();
    this.schedule(0);
  }

  private key(): string {
    return `layout-edits-${this.address}`;
  }

  private store(): void {
    if (this.waiting.length === 0) sessionStorage.removeItem(this.key());
    else sessionStorage.setItem(this.key(), JSON.stringify(this.waiting));
  }

  private schedule(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.sendNext(), delay);
  }

  private async sendNext(): Promise<void> {
    const [next] = this.waiting;
    if (next === undefined || this.isSending || this.isPaused) return;
    this.isSending = true;
    showStatus('Saving …');
    const body = new URLSearchParams(next);
    // Changes follow one another: each is of the version that the one before it left.
    const version = document.querySelector<HTMLInputElement>('#layout-form [name=Version]');
    if (this.wasSent && version) body.set('Version', version.value);
    const fetched = await fetchPage(this.address, { method: 'POST', body });
    this.isSending = false;
    if ('error' in fetched) {
      const count = this.waiting.length === 1 ? '1 change waits' : `${this.waiting.length} changes wait`;
      showStatus(`${fetched.error} ${count}.`);
      this.schedule(RETRY_MILLISECONDS);
      return;
    }
    this.waiting.shift();
    this.store();
    this.wasSent = true;
    this.isPaused = fetched.document.querySelector('[data-conflict]') !== null;
    show(fetched.document);
    if (this.waiting.length > 0) this.schedule(0);
  }

  /** Whether this page has sent a change, so that what it shows is the newest version it knows. */
  private wasSent = false;
}

/** Shows the editor as the server answered, with the focus where the answer has it. */
function show(answer: Document): void {
  const focused = answer.querySelector('#main [autofocus]')?.id ?? '';
  const openForm = document.querySelector<HTMLDetailsElement>('details.layout-change[open]');
  if (openForm) openForm.open = false;
  // The answer says where the focus goes.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  morphElement(answer, 'main');
  const element = focused === '' ? null : document.getElementById(focused);
  element?.focus();
  if (element instanceof HTMLInputElement) element.value = '';
  const line = element?.closest<HTMLElement>('li[data-entry]');
  if (line) announce(`${placeText(line)}. Saved.`);
}

/** Returns where an entry is, in words: "Investor, 2 of 7 in Header". */
export function placeText(line: HTMLElement): string {
  const list = line.parentElement;
  const at = [...(list?.children ?? [])].indexOf(line) + 1;
  return `${line.dataset['label']}, ${at} of ${list?.children.length} in ${list?.dataset['title']}`;
}

function showStatus(text: string): void {
  const status = document.getElementById('saved');
  if (status) status.textContent = text;
}
