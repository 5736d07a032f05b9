// What every page does better with script; without it everything still works.

// "/" goes to the search, as in many programs; not while something is being entered.
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

// A form that was changed asks before it is left, and is sent once.
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
  // Coming back by the browser's history, the page must be usable again.
  window.addEventListener('pageshow', () => {
    for (const button of form.querySelectorAll('button')) button.disabled = false;
  });
}

// A reference is found by the beginning of its record's label.
const LOOKUP_DELAY = 200;
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
      const asked = ++latest;
      const query = new URLSearchParams({
        Text: text,
        Objects: input.dataset.lookup,
        DisplaySize: '10',
        Output: 'Json',
      });
      const response = await fetch(`/api/record/find?${query}`);
      if (!response.ok || asked !== latest) return;
      const { FoundCollection } = await response.json();
      list.replaceChildren(
        ...[FoundCollection?.FoundItem ?? []].flat().map((found) => {
          const option = document.createElement('option');
          option.value = String(found.ObjectID);
          option.textContent = found.Label ?? '';
          return option;
        }),
      );
    }, LOOKUP_DELAY);
  });
}
