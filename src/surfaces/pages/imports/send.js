// Sends a file to be imported as it stands, with the share that has gone, and goes to the import's page.

/** So much of a file is looked at to say which templates fit. */
const LOOKED_AT_BYTES = 4 * 1024 * 1024;

for (const form of document.querySelectorAll('form[data-send]')) {
  const file = form.querySelector('#file');
  const template = form.querySelector('#template');
  const button = form.querySelector('button:not([type])');
  const token = form.querySelector('input[name=_csrf]').value;
  button.disabled = false;
  // Coming back by the browser's history, the page must be usable again.
  window.addEventListener('pageshow', () => {
    button.disabled = false;
  });
  if (form.dataset.detect !== undefined) {
    file.addEventListener('change', () => void suggest(file.files[0], template, token, form.querySelector('#fits')));
    // What the address has asked for was chosen, too.
    if (template.value !== '') template.dataset.chosen = 'true';
    template.addEventListener('change', () => {
      template.dataset.chosen = 'true';
    });
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!button.disabled && file.files[0])
      send(form, { file: file.files[0], address: addressOf(form, file.files[0]), token, button });
  });
}

function addressOf(form, file) {
  const { name, value } = form.querySelector('#template');
  const reference = form.querySelector('#reference')?.value.trim() ?? '';
  const query = new URLSearchParams({ PreTransform_FileName: file.name });
  if (form.dataset.send === 'import') return `/api/import/${encodeURIComponent(value)}?${query}`;
  query.set(name, value);
  if (reference !== '') query.set('Reference', reference);
  return `/api/${form.dataset.send}?${query}&Output=Xml`;
}

/** Says which templates recognise the document, and chooses the one that does so best, unless somebody has chosen. */
async function suggest(file, template, token, fits) {
  fits.textContent = '';
  if (!file) return;
  const query = new URLSearchParams({ FileName: file.name, Output: 'Json' });
  const response = await fetch(`/api/importfile/detectbody?${query}`, {
    method: 'POST',
    headers: { 'X-CSRF-Token': token, 'Content-Type': 'application/octet-stream' },
    body: file.slice(0, LOOKED_AT_BYTES),
  }).catch(() => undefined);
  if (!response?.ok || document.getElementById('file').files[0] !== file) return;
  const found = [(await response.json()).ImportFileTemplateCollection?.ImportFileTemplateItem ?? []]
    .flat()
    .sort((a, b) => b.Expected - a.Expected);
  const fitting = found.flatMap(({ ImportFileTemplateID: id, Expected: expected }) => {
    const option = template.querySelector(`option[data-id="${Number(id)}"]`);
    return option ? [{ option, expected }] : [];
  });
  // Some templates take any document; they are told where no other fits.
  const options = (fitting[0]?.expected > 0 ? fitting.filter(({ expected }) => expected > 0) : fitting).map(
    ({ option }) => option,
  );
  // What expects the most columns fits least by chance; of two that expect as many nobody but the sender knows.
  const isClear = options.length === 1 || (options.length > 1 && fitting[0].expected > fitting[1].expected);
  if (isClear && template.dataset.chosen !== 'true') template.value = options[0].value;
  fits.textContent =
    options.length === 0
      ? 'No template recognises this document.'
      : `Fits: ${options.map((option) => option.textContent).join(', ')}.`;
}

function send(form, { file, address, token, button }) {
  const part = (id) => form.querySelector(`#${id}`);
  const request = new XMLHttpRequest();
  const leaving = (event) => event.preventDefault();
  const ready = (isReady) => {
    button.disabled = !isReady;
    part('cancel').hidden = isReady;
    part('sending').hidden = isReady;
    window[isReady ? 'removeEventListener' : 'addEventListener']('beforeunload', leaving);
  };
  const failed = (text) => {
    ready(true);
    part('told').textContent = '';
    part('failed').textContent = text;
    part('failed').className = text === '' ? '' : 'note refused';
  };
  failed('');
  ready(false);
  part('told').textContent = `Sending ${file.name}.`;
  part('cancel').onclick = () => request.abort();
  request.upload.onprogress = ({ loaded, total }) => progress(part('sending'), loaded, total);
  request.upload.onload = () => {
    part('told').textContent = 'The file has arrived; it is being imported. It stands in the list of imports, too.';
  };
  request.onload = () => {
    const id = importOf(request.responseXML);
    if (!id) return failed(messageOf(request.responseXML) ?? `The server answered ${request.status}.`);
    ready(true);
    button.disabled = true;
    location.assign(`/imports/${id}?done=sent`);
  };
  request.onabort = () => failed('It was not sent.');
  request.onerror = () =>
    failed(
      'The server cannot be reached, or has ended the transfer. Whether the file arrived is told by the list of imports.',
    );
  request.open('POST', address);
  request.setRequestHeader('X-CSRF-Token', token);
  request.setRequestHeader(
    'Content-Type',
    /\.xml$/i.test(file.name) ? 'text/xml; charset=utf-8' : 'application/octet-stream',
  );
  request.send(file);
}

function progress(place, loaded, total) {
  const percent = total === 0 ? 100 : Math.floor((loaded / total) * 100);
  place.querySelector('progress').value = percent;
  place.querySelector('.rows').textContent = `${megabytes(loaded)} of ${megabytes(total)} MB, ${percent} %`;
}

function megabytes(bytes) {
  return (bytes / 1_048_576).toFixed(1);
}

/** The number of the import in an answer: ImportResults of what was imported at once, or the import file of what was queued. */
function importOf(answer) {
  const root = answer?.documentElement;
  const text =
    root?.nodeName === 'ImportResults' ? root.getAttribute('ID') : root?.querySelector('ImportFileID')?.textContent;
  return /^\d+$/.test(text ?? '') ? text : undefined;
}

function messageOf(answer) {
  return answer?.documentElement?.querySelector('Message')?.textContent ?? undefined;
}
