import { fetchPage } from './morph.ts';
import { DocumentViewerElement } from './viewer/viewer-element.ts';

customElements.define('document-viewer', DocumentViewerElement);

// Another document beside a form is shown without touching the form.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-beside]') : null;
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  void fetchPage(link.href, { staysSignedOut: true }).then((fetched) => {
    const next = 'error' in fetched ? null : fetched.document.getElementById('documents-beside');
    if (!next) return;
    document.getElementById('documents-beside')?.replaceWith(next);
    next.querySelector<HTMLElement>('[aria-current]')?.focus();
  });
});
