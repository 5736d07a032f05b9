import { callOperation, csrfToken, NO_ANSWER } from '../call.ts';

/** Bytes of a chunk; the server takes 512,000. */
const CHUNK_BYTES = 480 * 1024;
/** Bytes at the beginning of a file that are compared before an upload continues with it. */
const COMPARED_BYTES = 64 * 1024;
/** The first and the longest time between two attempts without a connection. */
const WAIT_MILLISECONDS = 1_000;
const WAIT_MILLISECONDS_MAX = 15_000;

/**
 * `interrupted`: the server has a part, and the user must choose the file again. `offline`: waits for the connection,
 * and continues by itself.
 */
export type UploadState = 'waiting' | 'sending' | 'offline' | 'paused' | 'failed' | 'done' | 'interrupted';

/** The record that a document is added to, and fields of the document. */
export interface UploadTarget {
  readonly object: string;
  readonly id: string;
  readonly type: string;
  readonly description: string;
}

interface ChunkAnswer {
  readonly status: number;
  readonly data?: { readonly finish?: boolean; readonly upload_name?: string; readonly AttachmentID?: number };
  readonly error?: string;
}

/** Sends one file in chunks. After a lost connection it continues where the server's copy ends. */
export class UploadJob {
  state: UploadState;
  sent: number;
  error = '';
  documentId: number | undefined;
  readonly name: string;
  readonly size: number;
  target: UploadTarget;
  private file: File | undefined;
  private guid: string | undefined;
  private isCompared = true;
  private readonly changed: (job: UploadJob) => void;

  constructor(
    of: {
      readonly target: UploadTarget;
      readonly file?: File;
      readonly started?: {
        readonly guid: string;
        readonly name: string;
        readonly size: number;
        readonly received: number;
      };
    },
    changed: (job: UploadJob) => void,
  ) {
    const { target, file, started } = of;
    this.target = target;
    this.file = file;
    this.guid = started?.guid;
    this.name = started?.name ?? file?.name ?? '';
    this.size = started?.size ?? file?.size ?? 0;
    this.sent = started?.received ?? 0;
    this.state = file ? 'waiting' : 'interrupted';
    this.changed = changed;
  }

  /** Whether this file may be the one that the upload began with; its beginning is compared before it continues. */
  continuesWith(file: File, target: UploadTarget): boolean {
    const isSame = this.target.object === target.object && this.target.id === target.id;
    return this.state === 'interrupted' && isSame && this.name === file.name && this.size === file.size;
  }

  /** Continues an interrupted upload with the file, which was chosen again. */
  take(file: File): void {
    this.file = file;
    this.isCompared = false;
    this.set('waiting');
  }

  pause(): void {
    if (this.state === 'sending' || this.state === 'offline' || this.state === 'waiting') this.set('paused');
  }

  /** Makes a paused or failed upload wait for its turn again. */
  resume(): void {
    if (this.state === 'paused' || this.state === 'failed') this.set('waiting');
  }

  /** Stops the upload and removes what the server has of it. */
  async discard(): Promise<void> {
    if (this.state !== 'done') this.state = 'paused';
    if (this.guid !== undefined && this.documentId === undefined)
      await callOperation('attachment/discardupload', { Upload: this.guid });
  }

  /** Sends the file until it is a document, fails or is paused. */
  async run(): Promise<void> {
    this.error = '';
    this.set('sending');
    let wait = WAIT_MILLISECONDS;
    while (this.isRunning()) {
      const answer = await this.sendNext();
      if (!this.isRunning()) return;
      if (answer.status === 200) {
        wait = WAIT_MILLISECONDS;
        this.accept(answer);
      } else if (answer.status === NO_ANSWER || answer.status >= 500 || answer.status === 429) {
        this.set('offline');
        await connectionBack(wait);
        wait = Math.min(wait * 2, WAIT_MILLISECONDS_MAX);
        if (this.isRunning() && (await this.findOwnPart())) this.set('sending');
      } else if (!(await this.recover(answer))) {
        this.error = answer.error ?? '';
        this.set('failed');
      }
    }
  }

  private isRunning(): boolean {
    return this.state === 'sending' || this.state === 'offline';
  }

  private accept({ data = {} }: ChunkAnswer): void {
    this.guid = data.upload_name ?? this.guid;
    if (!this.isCompared) this.isCompared = true;
    else this.sent = Math.min(this.sent + CHUNK_BYTES, this.size);
    if (data.finish === true) {
      this.sent = this.size;
      this.documentId = data.AttachmentID;
      this.set('done');
    } else this.set('sending');
  }

  /** Returns whether the upload can continue after a refused chunk. */
  private async recover({ status }: ChunkAnswer): Promise<boolean> {
    if (this.guid === undefined) return false;
    if (status === 409 && !this.isCompared) {
      // Another file of the same name and size: it is sent from its beginning.
      this.restart();
      return true;
    }
    if (status === 404) {
      this.restart();
      return true;
    }
    // Another window sends the same file, or the answer to a chunk was lost.
    return status === 409 && (await this.findOwnPart());
  }

  private restart(): void {
    this.guid = undefined;
    this.isCompared = true;
    this.sent = 0;
  }

  /** Asks the server how much it has. Returns whether it answered. */
  private async findOwnPart(): Promise<boolean> {
    if (this.guid === undefined) {
      const open = await openUploads();
      const own = open?.find(
        (each) =>
          each.FileName === this.name &&
          each.FileSize === this.size &&
          each.Object === this.target.object &&
          each.ObjectID === this.target.id,
      );
      if (own) {
        this.guid = own.upload_name;
        this.isCompared = false;
        this.sent = own.Received;
      }
      return open !== undefined;
    }
    const { status, data } = await callOperation('attachment/uploadstatus', { Upload: this.guid });
    if (status === 404) {
      this.restart();
      return true;
    }
    if (status !== 200) return false;
    this.sent = (data as { Received: number }).Received;
    return true;
  }

  private async sendNext(): Promise<ChunkAnswer> {
    const { file, guid, sent } = this;
    if (!file) return { status: 400, error: 'Choose the file again.' };
    const start = this.isCompared ? sent : 0;
    const end = this.isCompared ? start + CHUNK_BYTES : Math.min(COMPARED_BYTES, sent);
    const isEdge = guid === undefined || end >= this.size;
    const query = new URLSearchParams({ Output: 'Json', ...(isEdge && this.isCompared ? this.fields() : {}) });
    const headers = {
      'X-CSRF-Token': csrfToken(),
      'Content-Type': 'application/octet-stream',
      'X-File-Name': encodeURIComponent(this.name),
      'X-File-Size': String(this.size),
      'X-File-Offset': String(start),
      ...(guid !== undefined && { 'X-File-GUID': guid }),
    };
    return post(`/api/attachment/uploadchunk?${query}`, headers, file.slice(start, end));
  }

  private fields(): Record<string, string> {
    const { object, id, type, description } = this.target;
    return {
      Object: object,
      ObjectID: id,
      ...(type !== '' && { AttachmentTemplateID: type }),
      ...(description !== '' && { Description: description }),
    };
  }

  private set(state: UploadState): void {
    this.state = state;
    this.changed(this);
  }
}

async function post(path: string, headers: Record<string, string>, body: Blob): Promise<ChunkAnswer> {
  let response: Response;
  try {
    // A file that was changed or removed meanwhile cannot be read; that is not the connection.
    const bytes = await body.arrayBuffer().catch(() => undefined);
    if (!bytes) return { status: 400, error: 'The file was changed or moved since you chose it. Choose it again.' };
    response = await fetch(path, { method: 'POST', headers, body: bytes });
  } catch {
    return { status: NO_ANSWER };
  }
  const data = (await response.json().catch(() => undefined)) as
    | (ChunkAnswer['data'] & { readonly Error?: { readonly Message?: string } })
    | undefined;
  if (response.ok) return { status: 200, ...(data && { data }) };
  if (response.status === 401)
    return {
      status: 401,
      error: 'Your session has ended. Sign in again and choose the file again: it continues where it stopped.',
    };
  return { status: response.status, error: data?.Error?.Message ?? `The server answered ${response.status}.` };
}

/** Waits until the connection is back, or for a time. */
function connectionBack(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener('online', done);
  });
}

/** An unfinished upload of the user, as the server lists it. */
export interface OpenUpload {
  readonly upload_name: string;
  readonly FileName: string;
  readonly FileSize: number;
  readonly Received: number;
  readonly Object?: string;
  readonly ObjectID?: string;
}

/** Returns the unfinished uploads of the user; undefined without an answer. */
export async function openUploads(): Promise<readonly OpenUpload[] | undefined> {
  const { status, data } = await callOperation('attachment/uploads', {});
  if (status !== 200) return undefined;
  const { UploadCollection: list } = (data ?? {}) as {
    UploadCollection?: { UploadItem?: OpenUpload | readonly OpenUpload[] };
  };
  return [list?.UploadItem ?? []].flat();
}
