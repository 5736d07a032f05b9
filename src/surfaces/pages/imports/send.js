// Uploads a file as the body of an import, with progress, and opens the import's page.

/** The beginning of a file that is sent to detect which import types fit. */
const DETECTION_BYTES = 4 * 1024 * 1024;

for (const form of document.querySelectorAll('form[data-send]')) {
  const file = form.querySelector('#file');
  const template = form.querySelector('#template');
  const button = form.querySelector('button:not([type])');
  const token = form.querySelector('input[name=_csrf]').value;
  button.disabled = false;
  // After a return through the browser's history, the page must work again.
  window.addEventListener('pageshow', () => {
    button.disabled = false;
  });
  if (form.dataset.detect !== undefined) {
    file.addEventListener('change', () => void suggest(file.files[0], template, token, form.querySelector('#fits')));
    // A type that the address names counts as chosen.
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

/** Shows which import types fit the file, and selects the best one unless the user has chosen. */
async function suggest(file, template, token, fits) {
  fits.textContent = '';
  if (!file) return;
  const query = new URLSearchParams({ FileName: file.name, Output: 'Json' });
  const response = await fetch(`/api/importfile/detectbody?${query}`, {
    method: 'POST',
    headers: { 'X-CSRF-Token': token, 'Content-Type': 'application/octet-stream' },
    body: file.slice(0, DETECTION_BYTES),
  }).catch(() => undefined);
  if (!response?.ok || document.getElementById('file').files[0] !== file) return;
  const found = [(await response.json()).ImportFileTemplateCollection?.ImportFileTemplateItem ?? []]
    .flat()
    .sort((a, b) => b.Expected - a.Expected);
  const fitting = found.flatMap(({ ImportFileTemplateID: id, Expected: expected }) => {
    const option = template.querySelector(`option[data-id="${Number(id)}"]`);
    return option ? [{ option, expected }] : [];
  });
  // Some types accept any file; they are shown only if no other fits.
  const options = (fitting[0]?.expected > 0 ? fitting.filter(({ expected }) => expected > 0) : fitting).map(
    ({ option }) => option,
  );
  // The type that expects the most columns is least likely to fit by chance. Between two that expect as many, only the
  // user can choose.
  const isClear = options.length === 1 || (options.length > 1 && fitting[0].expected > fitting[1].expected);
  if (isClear && template.dataset.chosen !== 'true') template.value = options[0].value;
  fits.textContent =
    options.length === 0
      ? 'No import type matches this file.'
      : `Matches: ${options.map((option) => option.textContent).join(', ')}.`;
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
    part('announcement').textContent = '';
    part('failed').textContent = text;
    part('failed').className = text === '' ? '' : 'note refused';
  };
  failed('');
  ready(false);
  part('announcement').textContent = `Uploading ${file.name}`;
  part('cancel').onclick = () => request.abort();
  request.upload.onprogress = ({ loaded, total }) => progress(part('sending'), loaded, total);
  request.upload.onload = () => {
    // The import has begun and does not depend on this connection. Its page can stop it.
    part('cancel').hidden = true;
    part('announcement').textContent =
      'File uploaded. It is being imported, and you can also find it in the list of imports.';
  };
  request.onload = () => {
    const id = importOf(request.responseXML);
    if (!id) return failed(messageOf(request.responseXML) ?? `Upload failed (status ${request.status}).`);
    ready(true);
    button.disabled = true;
    location.assign(`/imports/${id}?done=sent`);
  };
  request.onabort = () => failed('Upload canceled');
  request.onerror = () =>
    failed('The connection to the server was lost. Check the list of imports to see if the file arrived.');
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

/**
 * Returns the import's id from an answer: ImportResults of one imported at once, or the import file of one that was
 * queued.
 */
function importOf(answer) {
  const root = answer?.documentElement;
  const text =
    root?.nodeName === 'ImportResults' ? root.getAttribute('ID') : root?.querySelector('ImportFileID')?.textContent;
  return /^\d+$/.test(text ?? '') ? text : undefined;
}

function messageOf(answer) {
  return answer?.documentElement?.querySelector('Message')?.textContent ?? undefined;
}
