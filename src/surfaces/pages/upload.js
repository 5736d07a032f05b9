// Uploads files to a record in chunks, one after the other, with progress. A failed chunk is retried.

const CHUNK_BYTES = 480 * 1024;
const ATTEMPTS_MAX = 5;
const WAIT_MILLISECONDS = 1000;

// On the document, so that it holds for forms that a script adds to the page later.
document.addEventListener('change', async ({ target }) => {
  const form = target.type === 'file' ? target.closest('form[data-upload]') : null;
  if (!form) return;
  const status = form.querySelector('[role=status]');
  const token = form.querySelector('input[name=_csrf]').value;
  try {
    for (const file of target.files)
      await upload(file, form.dataset, token, (text) => {
        status.textContent = text;
      });
    const page = new URL(location.href);
    page.searchParams.set('done', 'uploaded');
    location.assign(page);
  } catch (error) {
    status.textContent = error.message;
  }
});

async function upload(file, { object, id }, token, report) {
  const query = new URLSearchParams({ Object: object, ObjectID: id, Output: 'Json' });
  let uploadId;
  let offset = 0;
  do {
    const chunk = file.slice(offset, offset + CHUNK_BYTES);
    const headers = {
      'X-CSRF-Token': token,
      'Content-Type': 'application/octet-stream',
      'X-File-Name': encodeURIComponent(file.name),
      'X-File-Size': String(file.size),
      'X-File-Offset': String(offset),
      ...(uploadId && { 'X-File-GUID': uploadId }),
    };
    const answer = await post(`/api/attachment/uploadchunk?${query}`, headers, chunk);
    uploadId = answer.upload_name;
    offset += chunk.size;
    report(`${file.name}: ${file.size === 0 ? 100 : Math.floor((offset / file.size) * 100)} %`);
    if (answer.finish) return;
  } while (offset < file.size);
}

async function post(path, headers, body) {
  for (let attempt = 1; ; attempt++) {
    let response;
    try {
      response = await fetch(path, { method: 'POST', headers, body });
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX) throw error;
    }
    if (response?.ok) return response.json();
    if (response && response.status < 500 && response.status !== 429) {
      const body = await response.json().catch(() => undefined);
      throw new Error(body?.Error?.Message ?? `Upload failed (status ${response.status}).`);
    }
    if (attempt >= ATTEMPTS_MAX) throw new Error('The server is not responding. Try again later.');
    await new Promise((resolve) => {
      setTimeout(resolve, WAIT_MILLISECONDS * attempt);
    });
  }
}
