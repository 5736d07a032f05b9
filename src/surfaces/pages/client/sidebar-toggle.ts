/** Collapses and expands the sidebar by its button, whose key is `[`. */
export function watchSidebar(): void {
  document.querySelector<HTMLElement>('[data-sidebar].place')?.addEventListener('click', ({ currentTarget }) => {
    const { dataset } = document.documentElement;
    const isCollapsed = dataset['sidebar'] !== 'collapsed';
    if (isCollapsed) dataset['sidebar'] = 'collapsed';
    else delete dataset['sidebar'];
    (currentTarget as HTMLElement).setAttribute('aria-pressed', String(isCollapsed));
  });
}
