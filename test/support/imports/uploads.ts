import type { Caller, TestAnswer } from '../platform.ts';

/** The parameters of a chunk beside its bytes. */
export interface ChunkHeaders {
  readonly name?: string;
  readonly size?: number;
  readonly guid?: string | undefined;
  readonly offset?: number | undefined;
  readonly hash?: string | undefined;
  /** The operation; attachment/uploadchunk by default. */
  readonly path?: string;
}

/** Sends one chunk, as programs do: `fields` is the query. */
export function sendChunk(
  caller: Pick<Caller, 'post'>,
  bytes: Uint8Array,
  { name, size, guid, offset, hash, path = '/api/attachment/uploadchunk' }: ChunkHeaders,
  fields = '',
): Promise<TestAnswer> {
  return caller.post(`${path}?Output=Json${fields === '' ? '' : `&${fields}`}`, bytes, {
    'Content-Type': 'application/octet-stream',
    ...(name === undefined ? {} : { 'X-File-Name': name }),
    ...(size === undefined ? {} : { 'X-File-Size': String(size) }),
    ...(guid === undefined ? {} : { 'X-File-GUID': guid }),
    ...(offset === undefined ? {} : { 'X-File-Offset': String(offset) }),
    ...(hash === undefined ? {} : { 'X-File-Hash': hash }),
  });
}

/** The outcome of an upload: the last answer, and the number of calls. */
export interface Uploaded {
  readonly answer: TestAnswer;
  readonly guid: string;
  readonly chunks: number;
}

/** Uploads a file in chunks as specified: the first names it, each later one carries `upload_name`. */
export async function upload(
  caller: Pick<Caller, 'post'>,
  content: Uint8Array,
  options: { readonly name: string; readonly chunk?: number; readonly fields?: string; readonly hash?: string },
): Promise<Uploaded> {
  const { name, chunk = 500 * 1024, fields = '', hash } = options;
  let guid: string | undefined;
  for (let at = 0, chunks = 1; ; at += chunk, chunks++) {
    const answer = await sendChunk(
      caller,
      content.subarray(at, at + chunk),
      { name: encodeURIComponent(name), size: content.length, guid, hash },
      guid === undefined ? fields : '',
    );
    if (answer.status !== 200) return { answer, guid: guid ?? '', chunks };
    guid = String(answer.json()['upload_name']);
    if (answer.json()['finish'] === true) return { answer, guid, chunks };
    if (at > content.length) throw new Error('the upload does not end');
  }
}
