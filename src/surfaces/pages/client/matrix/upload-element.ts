import { csrfToken } from '../call.ts';

/** Sends a chosen file as the draft of a matrix. */
export class MatrixUploadElement extends HTMLElement {
  connectedCallback(): void {
    this.hidden = false;
    this.querySelector('input')?.addEventListener('change', ({ target }) => {
      const [file] = target instanceof HTMLInputElement ? [...(target.files ?? [])] : [];
      if (file) void this.send(file);
    });
  }

  private async send(file: File): Promise<void> {
    const { matrix = '', version = '0', address = '/' } = this.dataset;
    this.report(`Reading ${file.name} …`);
    try {
      const response = await fetch(`/api/matrix/importdraft?ID=${matrix}&Version=${version}&Output=Json`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream', 'X-CSRF-Token': csrfToken() },
        body: await file.arrayBuffer(),
      });
      if (response.ok) {
        location.assign(`${address}?done=imported`);
        return;
      }
      const { Error: refusal } = (await response.json()) as { Error?: { Message?: string } };
      this.report(refusal?.Message ?? 'The server could not read the file.');
    } catch {
      this.report('No connection to the server. Nothing was changed. Choose the file again.');
    }
  }

  private report(text: string): void {
    const status = this.querySelector('[role=status]');
    if (status) status.textContent = text;
  }
}
