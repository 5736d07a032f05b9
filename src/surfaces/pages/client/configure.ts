// Puts the content of a chosen file into a field. Without it the content is pasted.
for (const label of document.querySelectorAll<HTMLElement>('[data-file-for]')) {
  label.hidden = false;
  label.querySelector('input')?.addEventListener('change', ({ target }) => {
    const file = target instanceof HTMLInputElement ? target.files?.[0] : undefined;
    const field = document.getElementById(label.dataset['fileFor'] ?? '');
    if (file && field instanceof HTMLTextAreaElement)
      void file.text().then((text) => {
        field.value = text;
        field.focus();
      });
  });
}
