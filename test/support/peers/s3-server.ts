import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A store that implements the Amazon S3 protocol, in this process. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Every request so far: method and path. */
  readonly requests: string[];
  /** The most keys per listing page. */
  pageKeys: number;
  /** Overrides answers: a request for which it returns a status gets that status. */
  refuse: (method: string, path: string) => { readonly status: number; readonly code: string } | undefined;
}

interface KoaContext {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  status: number;
  type: string;
  body: unknown;
}

interface S3rverApp {
  readonly middleware: unknown[];
  readonly store: {
    getObject(
      bucket: string,
      key: string,
    ): Promise<{ readonly content?: { on(event: 'error', listener: () => void): void; destroy(): void } } | null>;
    listObjects(bucket: string, options: { readonly maxKeys?: number }): Promise<unknown>;
    deleteObject(bucket: string, key: string): Promise<void>;
    getResourcePath(bucket: string, key: string, resource: string): string;
  };
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);
const S3rver = require('s3rver') as new (options: object) => S3rverApp;

interface Ciphers {
  createCipheriv(name: string, key: Buffer, iv: Buffer): unknown;
  createDecipheriv(name: string, key: Buffer, iv: Buffer): unknown;
}

/** The server encrypts listing continuation tokens with a cipher that OpenSSL has dropped; it gets a replacement. */
function replaceCipher(): void {
  const crypto = require('node:crypto') as Ciphers;
  const twice = (bytes: Buffer): Buffer => Buffer.concat([bytes, bytes]);
  for (const make of ['createCipheriv', 'createDecipheriv'] as const) {
    const known = crypto[make].bind(crypto);
    crypto[make] = (name, key, iv) =>
      name === 'des' ? known('aes-128-cbc', twice(key), twice(iv)) : known(name, key, iv);
  }
}

/**
 * Starts a store on a local port. The server predates conditional writes, so they are added as Amazon documents them:
 * of concurrent writers of a key with `If-None-Match: *`, one succeeds and the others get 412.
 */
export async function s3Server(cleanUp: CleanUp): Promise<S3Server> {
  const bucket = 'casewright-tests';
  replaceCipher();
  const app = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: temporaryFolder(cleanUp),
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const turns = new Map<string, Promise<void>>();
  const server: S3Server & { requests: string[] } = {
    endpoint: '',
    bucket,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    requests: [],
    pageKeys: 1_000,
    refuse: () => undefined,
  };
  app.middleware.unshift(async (ctx: KoaContext, next: () => Promise<void>) => {
    server.requests.push(`${ctx.method} ${ctx.url}`);
    const refused = server.refuse(ctx.method, ctx.url);
    if (refused) {
      answer(ctx, refused.status, refused.code);
      return;
    }
    const before = turns.get(ctx.path) ?? Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    // Serialized per key: the server writes its files in place.
    turns.set(ctx.path, promise);
    try {
      await before;
      const key = decodeURIComponent(ctx.path.slice(bucket.length + 2));
      if (ctx.headers['if-none-match'] === '*' && ctx.method !== 'GET') {
        const found = await app.store.getObject(bucket, key).catch(() => null);
        // Its file may be deleted before it is opened.
        found?.content?.on('error', () => undefined);
        found?.content?.destroy();
        if (found) {
          answer(ctx, 412, 'PreconditionFailed');
          return;
        }
      }
      await next();
    } finally {
      resolve(undefined);
    }
  });
  const list = app.store.listObjects.bind(app.store);
  app.store.listObjects = (of, options) =>
    list(of, { ...options, maxKeys: Math.min(options.maxKeys ?? server.pageKeys, server.pageKeys) });
  // The server removes a folder with its last file, even while it opens another file there, and then crashes.
  app.store.deleteObject = async (of, key) => {
    await Promise.all(
      ['object', 'object.md5', 'metadata.json'].map((resource) =>
        rm(app.store.getResourcePath(of, key, resource), { force: true }),
      ),
    );
  };
  const { port } = await app.run();
  atEnd(cleanUp, () => app.close());
  return Object.assign(server, { endpoint: `http://127.0.0.1:${port}` });
}

function answer(ctx: KoaContext, status: number, code: string): void {
  ctx.status = status;
  ctx.type = 'application/xml';
  ctx.body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
}
