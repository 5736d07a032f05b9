import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { FileEntry, FileObject, FileStat, WrittenFile } from '../../../contracts/file-object.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import {
  alreadyExists,
  filePathNames,
  isPlainName,
  fileNotFound,
  pathNames,
  ContentDigest,
  fixedSizePieces,
  locationUnavailable,
  storageFull,
} from '../paths.ts';

/**
 * Bytes of one part of an upload; smaller content is sent whole. With at most 10,000 parts a file has at most 78 GB.
 */
const PART_BYTES = 8 * 1024 * 1024;
/** Unfinished uploads examined per run. */
const UPLOADS_MAX = 10_000;

/** A bucket, as configured by a location. */
export interface Bucket {
  readonly name: string;
  readonly client: S3Client;
  readonly bucket: string;
  /** The prefix of every key: '' or a path that ends in `/`. */
  readonly prefix: string;
  /** Throws if the settings do not allow connections to the store, or no longer do. */
  readonly assertAllowed: () => void;
}

/** A storage location in a bucket of Amazon S3, or of a store that speaks its protocol. */
export class S3Bucket implements FileObject {
  readonly shared = true;
  private readonly of: Bucket;

  constructor(of: Bucket) {
    this.of = of;
  }

  async check(): Promise<void> {
    await this.request(() =>
      this.of.client.send(new ListObjectsV2Command({ Bucket: this.of.bucket, Prefix: this.of.prefix, MaxKeys: 1 })),
    );
  }

  async close(): Promise<void> {
    this.of.client.destroy();
  }

  async write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    const key = this.keyOf(path);
    // For a store that ignores write conditions, at least check first.
    if (await this.stat(path)) throw alreadyExists(path);
    return this.put(key, bytes, { IfNoneMatch: '*' }).catch((error: unknown) => {
      throw isConflict(error) ? alreadyExists(path) : error;
    });
  }

  async replace(path: string, bytes: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    if (!(await this.stat(path))) throw fileNotFound();
    return this.put(this.keyOf(path), bytes, {});
  }

  async *read(path: string, range: { readonly start?: number; readonly end?: number } = {}): AsyncIterable<Uint8Array> {
    const key = this.keyOf(path);
    const { start = 0, end } = range;
    if (end !== undefined && end <= start) {
      if (!(await this.stat(path))) throw fileNotFound();
      return;
    }
    const part =
      range.start === undefined && end === undefined
        ? {}
        : { Range: `bytes=${start}-${end === undefined ? '' : end - 1}` };
    const answer = await this.request(() =>
      this.of.client.send(new GetObjectCommand({ Bucket: this.of.bucket, Key: key, ...part })),
    ).catch((error: unknown) => {
      // Nothing follows the end, as in an empty file.
      if (causeOf(error).status === 416) return undefined;
      throw error;
    });
    if (!answer) return;
    try {
      yield* answer.Body as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.toStorageError(error);
    }
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const key = this.keyOf(path);
    try {
      const found = await this.request(() =>
        this.of.client.send(new HeadObjectCommand({ Bucket: this.of.bucket, Key: key })),
      );
      return { size: found.ContentLength ?? 0, modified: (found.LastModified ?? new Date(0)).toISOString() };
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  async copy(from: string, to: string): Promise<void> {
    const [source, target] = [this.keyOf(from), this.keyOf(to)];
    const { bucket, client } = this.of;
    if (await this.stat(to)) throw alreadyExists(to);
    const CopySource = `${bucket}/${source.split('/').map(encodeURIComponent).join('/')}`;
    await this.request(() =>
      client.send(new CopyObjectCommand({ Bucket: bucket, Key: target, CopySource, IfNoneMatch: '*' })),
    ).catch((error: unknown) => {
      throw isConflict(error) ? alreadyExists(to) : error;
    });
  }

  async delete(path: string): Promise<void> {
    const key = this.keyOf(path);
    await this.request(() => this.of.client.send(new DeleteObjectCommand({ Bucket: this.of.bucket, Key: key })));
  }

  async *list(folder: string, options: { readonly depth?: number } = {}): AsyncIterable<string> {
    for await (const { path } of this.entries(folder, options)) yield path;
  }

  async *entries(folder: string, { depth = 0 }: { readonly depth?: number } = {}): AsyncIterable<FileEntry> {
    const base = pathNames(folder)
      .map((name) => `/${name}`)
      .join('');
    const prefix = `${this.of.prefix}${base === '' ? '' : `${base.slice(1)}/`}`;
    // A store groups keys by one level. For several levels all keys are scanned, which takes fewer requests than one
    // per folder.
    const oneLevel = depth === 0 ? { Delimiter: '/' } : {};
    for (let token: string | undefined, more = true; more;) {
      const page = await this.request(() =>
        this.of.client.send(
          new ListObjectsV2Command({
            Bucket: this.of.bucket,
            Prefix: prefix,
            ...oneLevel,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        ),
      );
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
        const names = Key.slice(prefix.length).split('/');
        // A key that is not a valid path was put there by others, such as the empty key of a folder.
        if (names.length - 1 <= depth && names.every(isPlainName))
          yield { path: `${base}/${names.join('/')}`, size: Size, modified: LastModified.toISOString() };
      }
      [token, more] = [
        page.NextContinuationToken,
        page.IsTruncated === true && page.NextContinuationToken !== undefined,
      ];
    }
  }

  async removeUnfinished(before: string): Promise<number> {
    const { client, bucket, prefix } = this.of;
    const page = await this.request(() =>
      client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix })),
    ).catch((error: unknown) => {
      // Not every store that speaks the protocol can list them.
      if ([400, 404, 405, 501].includes(causeOf(error).status)) return undefined;
      throw error;
    });
    let removed = 0;
    for (const { Key, UploadId, Initiated } of (page?.Uploads ?? []).slice(0, UPLOADS_MAX)) {
      if (Key === undefined || UploadId === undefined || !Initiated || Initiated.toISOString() >= before) continue;
      await this.request(() => client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })));
      removed++;
    }
    return removed;
  }

  /** Writes small files at once and larger ones in parts; either appears whole or not at all. */
  private async put(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    condition: { readonly IfNoneMatch?: '*' },
  ): Promise<WrittenFile> {
    const passed = new ContentDigest();
    const to = { Bucket: this.of.bucket, Key: key };
    const parts = fixedSizePieces(bytes, PART_BYTES)[Symbol.asyncIterator]();
    const next = async (): Promise<Buffer | undefined> => {
      const next = await parts.next();
      if (next.done === true) return undefined;
      passed.add(next.value);
      return next.value;
    };
    const first = (await next()) ?? Buffer.alloc(0);
    let second = first.length < PART_BYTES ? undefined : await next();
    if (second === undefined) {
      await this.request(() => this.of.client.send(new PutObjectCommand({ ...to, Body: first, ...condition })));
      return passed.written();
    }
    const { UploadId } = await this.request(() => this.of.client.send(new CreateMultipartUploadCommand(to)));
    try {
      const sent: CompletedPart[] = [];
      const send = async (Body: Buffer): Promise<void> => {
        const PartNumber = sent.length + 1;
        const { ETag } = await this.request(() =>
          this.of.client.send(new UploadPartCommand({ ...to, UploadId, PartNumber, Body })),
        );
        sent.push({ PartNumber, ETag });
      };
      await send(first);
      for (; second !== undefined; second = await next()) await send(second);
      await this.request(() =>
        this.of.client.send(
          new CompleteMultipartUploadCommand({ ...to, UploadId, MultipartUpload: { Parts: sent }, ...condition }),
        ),
      );
      return passed.written();
    } catch (error) {
      // If this fails too, removeUnfinished finds what is left.
      await this.of.client.send(new AbortMultipartUploadCommand({ ...to, UploadId })).catch(() => undefined);
      throw error;
    }
  }

  private keyOf(path: string): string {
    return `${this.of.prefix}${filePathNames(path).join('/')}`;
  }

  private async request<T>(request: () => Promise<T>): Promise<T> {
    try {
      this.of.assertAllowed();
      return await request();
    } catch (error) {
      throw this.toStorageError(error);
    }
  }

  private toStorageError(error: unknown): unknown {
    if (error instanceof PlatformError)
      return error.code === 'BAD_PARAMETER'
        ? locationUnavailable(this.of.name, 'is not an address that the platform may connect to', error)
        : error;
    const { status, name } = causeOf(new Error('', { cause: error }));
    if (name === 'NoSuchBucket') return locationUnavailable(this.of.name, `has no bucket ${this.of.bucket}`, error);
    if (status === 404) return new PlatformError('NOT_FOUND', { message: 'The stored file is missing.', cause: error });
    if (status === 507 || /Full|Quota|InsufficientStorage/i.test(name)) return storageFull(error);
    return locationUnavailable(
      this.of.name,
      `cannot be reached or refuses access: ${name}${status === 0 ? '' : ` (${status})`}`,
      error,
    );
  }
}

/** What the store, or the connection to it, reports of a failure. */
function causeOf(error: unknown): { readonly status: number; readonly name: string } {
  const cause = ((error as { cause?: unknown }).cause ?? {}) as {
    $metadata?: { httpStatusCode?: number };
    name?: unknown;
    Code?: unknown;
    code?: unknown;
  };
  const words = [cause.code, cause.Code, cause.name].filter(
    (word): word is string => typeof word === 'string' && /^[A-Za-z0-9_]{2,60}$/.test(word),
  );
  const status = cause.$metadata?.httpStatusCode ?? 0;
  // A response without a body, as to a HEAD request, has its status alone.
  return {
    status,
    name:
      words.find((word) => !['Error', 'Unknown', 'UnknownError'].includes(word)) ??
      (status === 403 ? 'Forbidden' : 'no reason given'),
  };
}

/** Whether a write was refused because its key exists or is being written. */
function isConflict(error: unknown): boolean {
  return [409, 412].includes(causeOf(error).status);
}
