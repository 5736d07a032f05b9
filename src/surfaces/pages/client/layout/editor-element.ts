import { announce } from '../announce.ts';
import { EditSender, placeText } from './edit-sender.ts';

/** How far the pointer moves before an entry is dragged, in pixels. */
const DRAG_DISTANCE = 4;

/** An entry that was picked up, and where it was. */
interface PickedEntry {
  readonly line: HTMLElement;
  readonly list: HTMLElement;
  readonly next: Element | null;
  readonly from: string;
}

/** The lists of a layout: entries are dragged, or picked up by keyboard, and every change is saved at once. */
export class LayoutEditorElement extends HTMLElement {
  private sender!: EditSender;
  private picked: PickedEntry | undefined;
  /** Where the pointer went down on a handle, until the entry is dragged or let go. */
  private pressed: { readonly line: HTMLElement; readonly y: number; readonly x: number } | undefined;

  connectedCallback(): void {
    const form = document.querySelector<HTMLFormElement>('#layout-form');
    if (!form) return;
    this.sender = new EditSender(form.action);
    this.addEventListener('submit', (event) => this.onSubmit(event));
    this.addEventListener('keydown', (event) => this.onKey(event));
    this.addEventListener('pointerdown', (event) => this.onPress(event));
    this.addEventListener('focusout', ({ target, relatedTarget }) => {
      if (this.picked && target === handleOf(this.picked.line) && relatedTarget !== null) this.putBack();
    });
    document.addEventListener('pointermove', (event) => this.onPointer(event));
    document.addEventListener('pointerup', () => this.onRelease());
    document.addEventListener('pointercancel', () => this.putBack());
  }

  private onSubmit(event: SubmitEvent): void {
    const { target, submitter } = event;
    if (!(target instanceof HTMLFormElement)) return;
    event.preventDefault();
    this.sender.send(fieldsOf(target, submitter instanceof HTMLButtonElement ? submitter : undefined));
  }

  private onKey(event: KeyboardEvent): void {
    const handle = event.target instanceof Element ? event.target.closest<HTMLElement>('.layout-handle') : null;
    const line = handle?.closest<HTMLElement>('li');
    if (!handle || !line) return;
    const actions: Readonly<Record<string, () => void>> = this.picked
      ? {
          ' ': () => this.drop(),
          Enter: () => this.drop(),
          Escape: () => this.putBack(),
          ArrowUp: () => this.step(-1),
          ArrowDown: () => this.step(1),
          ArrowLeft: () => this.changeList(-1),
          ArrowRight: () => this.changeList(1),
        }
      : { ' ': () => this.pickUp(line), Enter: () => this.pickUp(line) };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  private pickUp(line: HTMLElement): void {
    const list = line.parentElement;
    if (!list) return;
    this.picked = { line, list, next: line.nextElementSibling, from: line.dataset['entry'] ?? '{}' };
    line.classList.add('picked');
    this.dataset['takes'] = list.dataset['takes'] ?? '';
    announce(`Picked up ${placeText(line)}. Arrow keys move it, Space puts it down, Escape puts it back.`);
  }

  private step(by: -1 | 1): void {
    const { line } = this.picked ?? {};
    if (!line) return;
    if (by < 0) line.previousElementSibling?.before(line);
    else line.nextElementSibling?.after(line);
    this.showPlace();
  }

  /** Moves the picked entry to the next list that takes it. */
  private changeList(by: -1 | 1): void {
    const { line } = this.picked ?? {};
    const list = line?.parentElement;
    if (!line || !list) return;
    const lists = this.listsFor(list);
    const next = lists[lists.indexOf(list) + by];
    if (next) next.append(line);
    this.showPlace();
  }

  private listsFor(list: HTMLElement): readonly HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('ol[data-list]')].filter(
      ({ dataset }) => dataset['takes'] === list.dataset['takes'],
    );
  }

  private showPlace(): void {
    const { line } = this.picked ?? {};
    if (!line) return;
    handleOf(line)?.focus();
    line.scrollIntoView({ block: 'nearest' });
    announce(placeText(line));
  }

  /** Leaves the picked entry where it is, and saves that. */
  private drop(): void {
    const { picked } = this;
    if (!picked) return;
    const { line, list: before, next, from } = picked;
    const list = line.parentElement;
    this.letGo();
    if (!list || (list === before && line.nextElementSibling === next)) return;
    const form = document.querySelector<HTMLFormElement>('#layout-form');
    if (!form) return;
    const fields = fieldsOf(form);
    const edit = {
      verb: 'move',
      from: JSON.parse(from) as unknown,
      to: JSON.parse(list.dataset['list'] ?? '{}') as unknown,
      at: [...list.children].indexOf(line),
    };
    fields.set('Do', JSON.stringify(edit));
    this.sender.send(fields);
  }

  private putBack(): void {
    const { picked } = this;
    if (!picked) return;
    const { line, list, next } = picked;
    const hadFocus = line.contains(document.activeElement);
    list.insertBefore(line, next);
    this.letGo();
    if (hadFocus) handleOf(line)?.focus();
    announce(`Put back: ${placeText(line)}.`);
  }

  private letGo(): void {
    this.picked?.line.classList.remove('picked');
    this.picked = undefined;
    this.pressed = undefined;
    delete this.dataset['takes'];
  }

  private onPress(event: PointerEvent): void {
    const handle = event.target instanceof Element ? event.target.closest('.layout-handle') : null;
    const line = handle?.closest<HTMLElement>('li');
    if (line && event.button === 0) this.pressed = { line, x: event.clientX, y: event.clientY };
  }

  private onPointer({ clientX, clientY }: PointerEvent): void {
    const { pressed } = this;
    if (!pressed) return;
    if (!this.picked) {
      if (Math.hypot(clientX - pressed.x, clientY - pressed.y) < DRAG_DISTANCE) return;
      this.pickUp(pressed.line);
    }
    const under = document.elementFromPoint(clientX, clientY);
    const list = under?.closest<HTMLElement>('.layout-list')?.querySelector<HTMLElement>('ol[data-list]');
    if (!list || list.dataset['takes'] !== this.dataset['takes']) return;
    const over = under?.closest('li[data-entry]');
    if (over === pressed.line) return;
    if (!over || over.parentElement !== list) {
      if (list !== pressed.line.parentElement) list.append(pressed.line);
      return;
    }
    const { top, height } = over.getBoundingClientRect();
    over[clientY < top + height / 2 ? 'before' : 'after'](pressed.line);
  }

  private onRelease(): void {
    if (this.pressed && this.picked) this.drop();
    this.pressed = undefined;
  }
}

const handleOf = (line: HTMLElement): HTMLElement | null => line.querySelector('.layout-handle');

function fieldsOf(form: HTMLFormElement, submitter?: HTMLButtonElement): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === 'string') fields.append(name, value);
  return fields;
}
