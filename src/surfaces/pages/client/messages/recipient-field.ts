import { announce } from '../announce.ts';
import { joinAddresses, splitAddresses } from '../../shared/addresses.ts';

/** Somebody who is offered as a recipient. */
interface Suggestion {
  readonly value: string;
  readonly name: string;
  readonly role: string;
  readonly address: string;
}

const SUGGESTIONS_MAX = 8;
/** What an address looks like. The server decides. */
const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/;

/**
 * A field for recipients: each address is a chip, and the parties of the case are offered while typing. Without script
 * it is a text field with addresses, comma-separated; that field still has the value.
 */
class RecipientField extends HTMLElement {
  private input: HTMLInputElement | null = null;
  private readonly entry = document.createElement('input');
  private readonly list = document.createElement('ul');
  private suggestions: readonly Suggestion[] = [];
  private at = -1;
  private readonly gone = new AbortController();

  connectedCallback(): void {
    this.input = this.querySelector('input[name]');
    if (!this.input || this.entry.isConnected) return;
    const { input, entry, list } = this;
    this.suggestions = [...this.querySelectorAll('option')].map(({ value, dataset }) => ({
      value,
      name: dataset['name'] ?? '',
      role: dataset['role'] ?? '',
      address: dataset['address'] ?? '',
    }));
    const hasFocus = document.activeElement === input || input.autofocus;
    entry.className = 'address-entry';
    entry.id = `${input.name}-entry`;
    entry.autocomplete = 'off';
    entry.spellcheck = false;
    entry.setAttribute('role', 'combobox');
    entry.setAttribute('aria-expanded', 'false');
    entry.setAttribute('aria-autocomplete', 'list');
    entry.setAttribute('aria-controls', `${input.name}-choices`);
    for (const name of ['aria-invalid', 'aria-describedby']) {
      const value = input.getAttribute(name);
      if (value !== null) entry.setAttribute(name, value);
    }
    const label = this.closest('.mail-row')?.querySelector('label');
    label?.setAttribute('for', entry.id);
    list.className = 'address-choices';
    list.id = `${input.name}-choices`;
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', 'Parties of the case');
    list.hidden = true;
    input.hidden = true;
    this.append(entry, list);
    this.listen(entry);
    this.draw();
    if (hasFocus) entry.focus();
  }

  disconnectedCallback(): void {
    this.gone.abort();
  }

  private listen(entry: HTMLInputElement): void {
    const { signal } = this.gone;
    entry.addEventListener('keydown', (event) => this.key(event), { signal });
    entry.addEventListener('input', () => this.offer(), { signal });
    entry.addEventListener('focus', () => this.offer(), { signal });
    entry.addEventListener(
      'blur',
      () => {
        this.commit();
        this.close();
      },
      { signal },
    );
    entry.addEventListener('paste', () => setTimeout(() => this.takePasted()), { signal });
    this.addEventListener(
      'click',
      ({ target }) => {
        if (target === this) entry.focus();
      },
      { signal },
    );
    document.addEventListener('page-shown', () => this.draw(), { signal });
    document.addEventListener('message-filled', () => this.draw(), { signal });
    this.input?.form?.addEventListener('submit', () => this.commit(), { signal, capture: true });
  }

  private get addresses(): string[] {
    return splitAddresses(this.input?.value ?? '');
  }

  private set addresses(of: readonly string[]) {
    if (!this.input) return;
    this.input.value = joinAddresses(of);
    this.input.dispatchEvent(new Event('input', { bubbles: true }));
    this.draw();
  }

  private draw(): void {
    for (const chip of this.querySelectorAll('.address-chip')) chip.remove();
    for (const [at, text] of this.addresses.entries()) this.entry.before(this.chip(text, at));
    showAudience(this.closest('form'));
  }

  private chip(text: string, at: number): HTMLElement {
    const { name, address } = partsOf(text);
    const chip = document.createElement('span');
    chip.className = ADDRESS.test(address) ? 'address-chip' : 'address-chip wrong';
    chip.title = ADDRESS.test(address) ? address : `${text} is not an email address.`;
    const shown = document.createElement('bdi');
    shown.textContent = name || address;
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.setAttribute('aria-label', `Remove ${name || address}`);
    remove.textContent = '×';
    remove.addEventListener('click', () => {
      this.addresses = this.addresses.filter((_, index) => index !== at);
      this.entry.focus();
    });
    chip.append(shown, remove);
    return chip;
  }

  private key(event: KeyboardEvent): void {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTaken = this.list.hidden ? key === 'ArrowDown' && this.offer(true) : this.keyInList(key);
    if (!isTaken && !this.keyInText(key)) return;
    // Tab also goes to the next field.
    if (key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  }

  /** Returns whether the list of suggestions took the key. */
  private keyInList(key: string): boolean {
    if (key === 'ArrowDown') this.moveTo(this.at + 1);
    else if (key === 'ArrowUp') this.moveTo(this.at - 1);
    else if (key === 'Escape') this.close();
    else if (key === 'Tab' && this.entry.value.trim() !== '') this.chooseOrCommit();
    else return false;
    return true;
  }

  /** Returns whether the key made a chip of what was typed, or removed one. */
  private keyInText(key: string): boolean {
    const { value } = this.entry;
    if (key === 'Enter') this.chooseOrCommit();
    else if ((key === ',' || key === ';') && !hasOpenQuote(value)) this.commit();
    else if (key === 'Backspace' && value === '') this.addresses = this.addresses.slice(0, -1);
    else return false;
    return true;
  }

  private chooseOrCommit(): void {
    const chosen = this.list.hidden ? undefined : this.offered()[this.at];
    if (chosen) this.add(chosen.value);
    else this.commit();
  }

  /** Makes a chip of what was typed. */
  private commit(): void {
    const text = this.entry.value.trim().replace(/[,;]+$/, '');
    if (text !== '') this.add(text);
  }

  private takePasted(): void {
    if (/[,;]/.test(this.entry.value)) this.commit();
  }

  private add(text: string): void {
    this.entry.value = '';
    const known = new Set(this.addresses.map((each) => partsOf(each).address.toLowerCase()));
    const added = splitAddresses(text).filter((each) => !known.has(partsOf(each).address.toLowerCase()));
    if (added.length > 0) this.addresses = [...this.addresses, ...added];
    this.close();
    if (document.activeElement === this.entry) this.offer();
  }

  private offered(): readonly Suggestion[] {
    const text = this.entry.value.trim().toLowerCase();
    const known = new Set(this.addresses.map((each) => partsOf(each).address.toLowerCase()));
    return this.suggestions
      .filter(({ address }) => !known.has(address.toLowerCase()))
      .filter(({ name, role, address }) => `${name} ${role} ${address}`.toLowerCase().includes(text))
      .slice(0, SUGGESTIONS_MAX);
  }

  private offer(isRequested = false): true {
    const offered = this.offered();
    if (offered.length === 0 || (this.entry.value.trim() === '' && this.addresses.length > 0 && !isRequested)) {
      this.close();
      return true;
    }
    this.list.replaceChildren(...offered.map((each, at) => this.option(each, at)));
    this.list.hidden = false;
    this.entry.setAttribute('aria-expanded', 'true');
    this.moveTo(this.entry.value.trim() === '' ? -1 : 0);
    announce(`${offered.length} offered`);
    return true;
  }

  private option({ name, role, address, value }: Suggestion, at: number): HTMLElement {
    const option = document.createElement('li');
    option.id = `${this.list.id}-${at}`;
    option.setAttribute('role', 'option');
    const [who, what, where] = ['span', 'span', 'span'].map((tag) => document.createElement(tag));
    if (who && what && where) {
      who.textContent = name || address;
      what.textContent = role;
      what.className = 'muted small';
      where.textContent = address;
      where.className = 'muted small';
      option.append(who, what, where);
    }
    option.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      this.add(value);
    });
    return option;
  }

  private moveTo(at: number): void {
    const options = [...this.list.querySelectorAll('[role=option]')];
    this.at = at < 0 ? -1 : at % Math.max(1, options.length);
    for (const [index, option] of options.entries()) option.setAttribute('aria-selected', String(index === this.at));
    const current = options[this.at];
    if (current) this.entry.setAttribute('aria-activedescendant', current.id);
    else this.entry.removeAttribute('aria-activedescendant');
  }

  private close(): void {
    this.list.hidden = true;
    this.entry.setAttribute('aria-expanded', 'false');
    this.entry.removeAttribute('aria-activedescendant');
  }
}

function hasOpenQuote(text: string): boolean {
  return (text.split('"').length - 1) % 2 === 1;
}

function partsOf(text: string): { readonly name: string; readonly address: string } {
  const [, name = '', address = text] = /^\s*"?([^"<]*?)"?\s*<([^<>]*)>\s*$/.exec(text) ?? [];
  return { name: name.trim(), address: address.trim() };
}

/** Names below the text who will read it. */
function showAudience(form: HTMLFormElement | null): void {
  const line = form?.querySelector<HTMLElement>('[data-audience]');
  if (!form || !line) return;
  const names = ['ToAddress', 'CcAddress', 'BccAddress'].flatMap((name) => {
    const input = form.elements.namedItem(name);
    return input instanceof HTMLInputElement ? splitAddresses(input.value).map((each) => partsOf(each)) : [];
  });
  const shown = names.map(({ name, address }) => name || address);
  const [last, ...others] = shown.toReversed();
  if (last === undefined)
    line.textContent = 'Everyone you write to can read this, including people outside your company.';
  else if (others.length > 3)
    line.textContent = `${shown.slice(0, 2).join(', ')} and ${shown.length - 2} others will read this.`;
  else
    line.textContent =
      others.length === 0 ? `${last} will read this.` : `${others.toReversed().join(', ')} and ${last} will read this.`;
}

/** Defines the field for recipients. */
export function defineRecipientField(): void {
  customElements.define('recipient-field', RecipientField);
}
