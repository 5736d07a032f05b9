import { Agent, request } from 'node:http';
import type { BenchOptions } from './run.ts';
import { startChild } from './lib/child.ts';
import { startDatabase } from './lib/database.ts';
import type { UploadFloorHandlers } from './lib/floor-upload.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { ProductHandlers } from './lib/product.ts';

/** Size of the uploaded file; `--rows` overrides it. */
const MEGABYTES = 200;
const MEGABYTE = 1024 * 1024;
/** Largest chunk that the product accepts. */
const CHUNK_BYTES = 500 * 1024;
const ADMINISTRATOR_KEY = 'the-administrators-key-of-benchmarks';

/**
 * Uploads one large file over HTTP in chunks of the maximum size, each sent after the previous one is answered. The
 * floor streams the chunks into a file and flushes it to disk once, at the end. The product has every chunk on disk
 * before it answers, records its progress in the store, and creates a document with its hash. The rate is in megabytes
 * per second.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const megabytes = options.rows ?? MEGABYTES;
  const database = await startDatabase();
  const product = await startChild<ProductHandlers>(
    'product.ts',
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`],
  );
  const floor = await startChild<UploadFloorHandlers>('floor-upload.ts');
  try {
    await database.create('bench');
    const port = await product.ask('start', {
      databaseUrl: database.url('bench'),
      dataFolder: database.folder,
      administratorKey: ADMINISTRATOR_KEY,
      roles: ['web'],
    });
    const floorPort = await floor.ask('start', { folder: database.folder });
    const side = (upload: () => Promise<void>, cpu: Side['cpu']): Side => ({
      cpu,
      slice: () => timed(megabytes, upload),
    });
    const against = side(
      () => uploadTo(megabytes, floorSender(floorPort)),
      () => floor.ask('cpu', undefined),
    );
    const own = side(
      () => uploadTo(megabytes, productSender(port, megabytes * MEGABYTE)),
      () => product.ask('cpu', undefined),
    );
    const name = `upload: ${megabytes} MB in chunks`;
    if (options.takes(name)) options.print(line(name, await compare(against, own, options.plan), { rateAtLeast: 0.7 }));
  } finally {
    await Promise.all([product.stop(), floor.stop()]);
    await database.stop();
  }
}

async function timed(megabytes: number, run: () => Promise<void>): Promise<{ calls: number; seconds: number }> {
  const began = performance.now();
  await run();
  return { calls: megabytes, seconds: (performance.now() - began) / 1000 };
}

type Send = (chunk: Buffer, isLast: boolean) => Promise<void>;

let uploads = 0;

/** Uploads differ in content: equal content is stored once, which would cost too little. */
async function uploadTo(megabytes: number, send: Send): Promise<void> {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'the content of a benchmark ');
  chunk.write(`upload ${++uploads} of ${process.pid}`);
  const bytes = megabytes * MEGABYTE;
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    chunk.writeUInt32BE(at / CHUNK_BYTES, 64);
    await send(chunk.subarray(0, Math.min(CHUNK_BYTES, bytes - at)), at + CHUNK_BYTES >= bytes);
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function post(port: number, path: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/octet-stream', 'Content-Length': body.length },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.on('end', () =>
          response.statusCode === 200
            ? resolve(text)
            : reject(new Error(`${path} answered ${String(response.statusCode)}: ${text}`)),
        );
      },
    );
    sending.on('error', reject).end(body);
  });
}

function floorSender(port: number): Send {
  return async (chunk, isLast) => {
    await post(port, isLast ? '/last' : '/chunk', {}, chunk);
  };
}

function productSender(port: number, size: number): Send {
  let guid: string | undefined;
  let offset = 0;
  return async (chunk, isLast) => {
    const headers = {
      'X-ApiKey': ADMINISTRATOR_KEY,
      'X-File-Name': 'bench.bin',
      'X-File-Size': String(size),
      'X-File-Offset': String(offset),
      ...(guid === undefined ? {} : { 'X-File-GUID': guid }),
    };
    offset += chunk.length;
    const answer = JSON.parse(await post(port, '/api/attachment/uploadchunk?Output=Json', headers, chunk)) as {
      finish: boolean;
      upload_name: string;
    };
    guid = answer.upload_name;
    if (answer.finish !== isLast) throw new Error('the upload ended where it should not');
  };
}
