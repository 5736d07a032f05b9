import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { startChild } from '../lib/child.ts';
import type { DownloadFloorHandlers } from '../lib/floor-download.ts';
import { startHttpBench, type HttpBench } from '../lib/http.ts';
import { compare, line, type Side } from '../lib/pairs.ts';
import type { BenchOptions } from '../run.ts';

const CHUNK_BYTES = 500 * 1024;
/** Sizes of the files in megabytes, and how many of each are downloaded in a slice. */
const FILES = [
  { megabytes: 100, downloads: 5 },
  { megabytes: 1, downloads: 200 },
] as const;
const MEGABYTE = 1024 * 1024;
const RATE_MIN = 0.9;

/**
 * Downloads whole files over one connection, compared with a server that only streams them; in megabytes per second.
 */
export async function benchDownloads(options: BenchOptions): Promise<void> {
  const figures = FILES.map((file, at) => ({ ...file, at, name: `download of files of ${file.megabytes} MB` }));
  const taken = figures.filter(({ name }) => options.takes(name));
  if (taken.length === 0) return;
  const http = await startHttpBench(options.profile);
  const floor = await startChild<DownloadFloorHandlers>('floor-download.ts');
  try {
    const contents = FILES.map(({ megabytes }) => Buffer.alloc(megabytes * MEGABYTE, 'the content of a benchmark '));
    const paths = contents.map((bytes, at) => {
      const path = join(http.database.folder, `floor-${at}.bin`);
      writeFileSync(path, bytes);
      return path;
    });
    const floorPort = await floor.ask('start', { paths });
    for (const { name, at, megabytes, downloads } of taken) {
      const id = await upload(http, contents[at] ?? Buffer.alloc(0));
      const side = (address: string, cpu: Side['cpu']): Side => ({
        cpu,
        slice: () => downloadTimes(address, http.staffKey, { megabytes, downloads }),
      });
      const found = await compare(
        side(`http://127.0.0.1:${floorPort}/${at}`, () => floor.ask('cpu', undefined)),
        side(`${http.origin}/api/attachment/download/${id}`, () => http.cpu()),
        options.plan,
      );
      options.print(line(`documents: ${name}`, found, { rateAtLeast: RATE_MIN }));
    }
  } finally {
    await floor.stop();
    await http.stop();
  }
}

/** Creates a document. */
async function upload(http: HttpBench, bytes: Buffer): Promise<number> {
  let guid: string | undefined;
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const answer = await fetch(`${http.origin}/api/attachment/uploadchunk?Output=Json`, {
      method: 'POST',
      headers: {
        'X-ApiKey': http.staffKey,
        'Content-Type': 'application/octet-stream',
        'X-File-Name': 'bench.bin',
        'X-File-Size': String(bytes.length),
        'X-File-Offset': String(at),
        ...(guid === undefined ? {} : { 'X-File-GUID': guid }),
      },
      body: bytes.subarray(at, at + CHUNK_BYTES),
    });
    const found = (await answer.json()) as { upload_name: string; finish: boolean; AttachmentID: number | null };
    if (answer.status !== 200) throw new Error(`the upload answered ${answer.status}`);
    if (found.finish && found.AttachmentID !== null) return found.AttachmentID;
    guid = found.upload_name;
  }
  throw new Error('the upload did not end');
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function downloadTimes(
  address: string,
  key: string,
  { megabytes, downloads }: { readonly megabytes: number; readonly downloads: number },
): Promise<{ calls: number; seconds: number }> {
  const began = performance.now();
  for (let n = 0; n < downloads; n++) {
    const bytes = await download(address, key);
    if (bytes !== megabytes * MEGABYTE) throw new Error(`${address} answered with ${bytes} bytes`);
  }
  return { calls: megabytes * downloads, seconds: (performance.now() - began) / 1_000 };
}

/** Returns the number of bytes of a download. */
function download(address: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(address, { agent, headers: { 'X-ApiKey': key } }, (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => (bytes += piece.length));
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(bytes)
          : reject(new Error(`${address} answered ${String(response.statusCode)}`)),
      );
    }).on('error', reject);
  });
}
