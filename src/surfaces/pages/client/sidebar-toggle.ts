import { callOperation } from './call.ts';

/** Collapses and expands the sidebar by its button, whose key is `[`, and remembers it for the user. */
export function watchSidebar(): void {
  const toggle = document.querySelector<HTMLElement>('[data-sidebar].place');
  const { dataset } = document.documentElement;
  toggle?.setAttribute('aria-pressed', String(dataset['sidebar'] === 'collapsed'));
  toggle?.addEventListener('click', () => {
    const isCollapsed = dataset['sidebar'] !== 'collapsed';
    if (isCollapsed) dataset['sidebar'] = 'collapsed';
    else delete dataset['sidebar'];
    toggle.setAttribute('aria-pressed', String(isCollapsed));
    // Without an answer the next page has the sidebar as it was, which is no reason for words.
    void callOperation('preference/choose', { Sidebar: isCollapsed ? 'Collapsed' : 'Expanded' });
  });
}
