import { announce } from '../announce.ts';
import { callOperation } from '../call.ts';
import type { UploadJob } from './upload-job.ts';

/** A document type to choose from. */
export interface TypeChoice {
  readonly id: string;
  readonly name: string;
}

/** What the tray's buttons do. */
export interface TrayActions {
  readonly resume: (job: UploadJob) => void;
  readonly discard: (job: UploadJob) => void;
  readonly types: () => Promise<readonly TypeChoice[]>;
}

/** The list of uploads at the edge of the window. It stays while the page changes beneath it. */
export class UploadTray {
  private readonly lines = new Map<UploadJob, HTMLLIElement>();
  private readonly actions: TrayActions;
  private root: HTMLElement | undefined;

  constructor(actions: TrayActions) {
    this.actions = actions;
  }

  /** Shows the present state of an upload. */
  show(job: UploadJob): void {
    let line = this.lines.get(job);
    if (!line) {
      line = newLine(job);
      this.lines.set(job, line);
      this.list().append(line);
    }
    const before = line.dataset['state'];
    const hadFocus = line.contains(document.activeElement);
    line.dataset['state'] = job.state;
    this.fill(line, job);
    if (hadFocus && !line.contains(document.activeElement)) line.querySelector<HTMLElement>('button, a')?.focus();
    if (before !== job.state && job.state === 'done') announce(`${job.name} is uploaded.`);
    if (before !== job.state && (job.state === 'failed' || job.state === 'offline'))
      announce(`${job.name}: ${stateText(job)}`);
    this.count();
  }

  /** Removes an upload from the list. */
  remove(job: UploadJob): void {
    this.lines.get(job)?.remove();
    this.lines.delete(job);
    if (this.lines.size === 0) {
      this.root?.remove();
      this.root = undefined;
    } else this.count();
  }

  private fill(line: HTMLLIElement, job: UploadJob): void {
    const progress = line.querySelector('progress');
    const words = line.querySelector('.upload-words');
    const buttons = line.querySelector('.upload-buttons');
    if (!progress || !words || !buttons) return;
    progress.value = job.size === 0 ? 100 : Math.floor((job.sent / job.size) * 100);
    progress.hidden = job.state === 'done' || job.state === 'failed';
    words.textContent = stateText(job);
    const names = buttonsOf(job);
    if (buttons.getAttribute('data-for') !== names.join()) {
      buttons.setAttribute('data-for', names.join());
      buttons.replaceChildren(...names.map((name) => this.button(name, job)));
      if (job.state === 'done') this.finish(line, job);
    }
  }

  private button(name: string, job: UploadJob): HTMLElement {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = 'button quiet';
    made.textContent = name;
    made.setAttribute('aria-label', `${name}: ${job.name}`);
    made.addEventListener('click', () => {
      if (name === 'Pause') job.pause();
      else if (name === 'Resume' || name === 'Try again') this.actions.resume(job);
      else this.actions.discard(job);
    });
    return made;
  }

  /** Makes the name of a document a link, and offers to choose its type. */
  private finish(line: HTMLLIElement, job: UploadJob): void {
    const name = line.querySelector('.upload-name');
    if (job.documentId === undefined || !name) return;
    const link = document.createElement('a');
    link.href = `/documents/${job.documentId}`;
    link.className = 'link';
    link.textContent = job.name;
    name.replaceChildren(link);
    if (job.target.type === '') void this.offerType(line, job, job.documentId);
  }

  private async offerType(line: HTMLLIElement, job: UploadJob, id: number): Promise<void> {
    const types = await this.actions.types();
    const words = line.querySelector('.upload-words');
    if (types.length === 0 || !words) return;
    const select = document.createElement('select');
    select.className = 'input';
    select.setAttribute('aria-label', `Type of ${job.name}`);
    select.append(new Option('No type', ''), ...types.map((type) => new Option(type.name, type.id)));
    select.addEventListener('change', () => {
      void callOperation('attachment/save', { ID: id, AttachmentTemplateID: select.value }).then(
        ({ status, error }) => {
          const text = status === 200 ? 'Type saved' : (error ?? 'The type was not saved.');
          words.textContent = text;
          announce(text);
          document.dispatchEvent(new CustomEvent('documents-changed'));
        },
      );
    });
    words.after(select);
  }

  private list(): HTMLElement {
    if (!this.root) {
      this.root = document.createElement('section');
      this.root.className = 'upload-tray';
      this.root.setAttribute('aria-label', 'Uploads');
      const head = document.createElement('header');
      const title = document.createElement('h2');
      title.textContent = 'Uploads';
      const count = document.createElement('span');
      count.className = 'muted small upload-count';
      const close = document.createElement('button');
      close.type = 'button';
      close.className = 'button quiet';
      close.textContent = 'Hide finished';
      close.addEventListener('click', () => {
        for (const job of [...this.lines.keys()]) if (job.state === 'done') this.remove(job);
      });
      head.append(title, count, close);
      this.root.append(head, document.createElement('ul'));
      document.body.append(this.root);
    }
    return this.root.querySelector('ul') ?? this.root;
  }

  private count(): void {
    const jobs = [...this.lines.keys()];
    const done = jobs.filter(({ state }) => state === 'done').length;
    const count = this.root?.querySelector('.upload-count');
    if (count) count.textContent = `${done} of ${jobs.length} uploaded`;
  }
}

function newLine({ name }: UploadJob): HTMLLIElement {
  const line = document.createElement('li');
  const title = document.createElement('bdi');
  title.className = 'upload-name cut';
  title.textContent = name;
  const progress = document.createElement('progress');
  progress.max = 100;
  progress.setAttribute('aria-label', `Upload of ${name}`);
  const words = document.createElement('span');
  words.className = 'upload-words small soft';
  const buttons = document.createElement('span');
  buttons.className = 'upload-buttons row';
  line.append(title, progress, words, buttons);
  return line;
}

function buttonsOf({ state, error }: UploadJob): readonly string[] {
  switch (state) {
    case 'sending':
    case 'waiting':
      return ['Pause', 'Cancel'];
    case 'offline':
      return ['Pause', 'Cancel'];
    case 'paused':
      return ['Resume', 'Cancel'];
    case 'failed':
      return error === '' ? ['Remove'] : ['Try again', 'Remove'];
    case 'interrupted':
      return ['Remove'];
    case 'done':
      return [];
  }
}

function stateText({ state, sent, size, error }: UploadJob): string {
  const amount = `${fileSize(sent)} of ${fileSize(size)}`;
  switch (state) {
    case 'waiting':
      return `Waiting · ${fileSize(size)}`;
    case 'sending':
      return `${amount} · ${size === 0 ? 100 : Math.floor((sent / size) * 100)} %`;
    case 'offline':
      return `No connection. ${amount} arrived; the upload resumes automatically.`;
    case 'paused':
      return `Paused · ${amount}`;
    case 'interrupted':
      return `Interrupted: ${amount} arrived. Choose or drop the same file to continue.`;
    case 'failed':
      return error;
    case 'done':
      return `Uploaded · ${fileSize(size)}`;
  }
}

function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
