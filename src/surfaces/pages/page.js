// Improves every page. Without script everything still works.

// "/" moves the focus to the search, except while the user is typing in a field.
document.addEventListener('keydown', (event) => {
  const entering =
    event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable]');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || entering) return;
  const find = document.getElementById('find');
  if (find instanceof HTMLInputElement) {
    event.preventDefault();
    find.focus();
  }
});

// A changed form asks before it is left, and is sent only once.
for (const form of document.querySelectorAll('form.entry')) {
  let changed = false;
  form.addEventListener('input', () => {
    changed = true;
  });
  form.addEventListener('submit', () => {
    changed = false;
    for (const button of form.querySelectorAll('button'))
      setTimeout(() => {
        button.disabled = true;
      });
  });
  window.addEventListener('beforeunload', (event) => {
    if (changed) event.preventDefault();
  });
  // After a return through the browser's history, the page must work again.
  window.addEventListener('pageshow', () => {
    for (const button of form.querySelectorAll('button')) button.disabled = false;
  });
}

// References are looked up by the start of their record's label.
const LOOKUP_DELAY_MILLISECONDS = 200;
for (const input of document.querySelectorAll('input[data-lookup]')) {
  const list = document.createElement('datalist');
  list.id = `${input.id}-choices`;
  input.setAttribute('list', list.id);
  input.after(list);
  let timer;
  let latest = 0;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    const text = input.value.trim();
    if (text.length < 2) return;
    timer = setTimeout(async () => {
      const request = ++latest;
      const query = new URLSearchParams({
        Text: text,
        Objects: input.dataset.lookup,
        DisplaySize: '10',
        Output: 'Json',
      });
      const response = await fetch(`/api/record/find?${query}`);
      if (!response.ok || request !== latest) return;
      const { FoundCollection } = await response.json();
      list.replaceChildren(
        ...[FoundCollection?.FoundItem ?? []].flat().map((found) => {
          const option = document.createElement('option');
          option.value = String(found.ObjectID);
          option.textContent = found.Label ?? '';
          return option;
        }),
      );
    }, LOOKUP_DELAY_MILLISECONDS);
  });
}
