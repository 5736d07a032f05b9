import { fetchPage, morphElement, morphInto } from '../morph.ts';

/** The preview follows what is typed after this time. */
const PAUSE_MILLISECONDS = 350;

/** The preview of a message template: follows its form while that is edited. Without script a button renews it. */
class TemplatePreview extends HTMLElement {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly gone = new AbortController();

  connectedCallback(): void {
    const { signal } = this.gone;
    const soon = ({ target }: Event): void => {
      if (target instanceof Element && (target.closest('#template-form') ?? target.closest('.tried-on')))
        this.renewSoon();
    };
    document.addEventListener('input', soon, { signal });
    document.addEventListener('change', soon, { signal });
  }

  disconnectedCallback(): void {
    this.gone.abort();
  }

  private renewSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.renew(), PAUSE_MILLISECONDS);
  }

  private async renew(): Promise<void> {
    const form = document.querySelector<HTMLFormElement>('#template-form');
    if (!form) return;
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value);
    const shown = this.querySelector('#template-preview');
    const fetched = await fetchPage(this.dataset['address'] ?? '', { method: 'POST', body, staysSignedOut: true });
    if (!shown) return;
    if ('error' in fetched) shown.textContent = fetched.error;
    else if (!morphElement(fetched.document, 'template-preview')) morphInto(shown, wrapped(fetched.document));
    this.showFrame(body);
  }

  /** Sends the values to the frame, which shows the formatted text. */
  private showFrame(values: URLSearchParams): void {
    const form = this.querySelector<HTMLFormElement>('#template-frame-form');
    if (!form) return;
    for (const old of form.querySelectorAll('[data-copied]')) old.remove();
    for (const [name, value] of values) {
      if (form.elements.namedItem(name)) continue;
      const field = Object.assign(document.createElement('input'), { type: 'hidden', name, value });
      field.dataset['copied'] = '';
      form.append(field);
    }
    form.submit();
  }
}

/** Returns a fragment as the element that it goes into. */
function wrapped(fetched: Document): HTMLElement {
  const next = document.createElement('div');
  next.id = 'template-preview';
  next.setAttribute('aria-live', 'polite');
  next.append(...fetched.body.childNodes);
  return next;
}

/** Defines the preview of a message template. */
export function defineTemplatePreview(): void {
  customElements.define('template-preview', TemplatePreview);
}
