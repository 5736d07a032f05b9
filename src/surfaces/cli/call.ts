import { createReadStream, statSync } from 'node:fs';
import { extname } from 'node:path';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import { fillSignature, parseSignature } from '../../kernel/door/signature.ts';
import type { Arguments, Option } from './arguments.ts';
import type { Client, ClientRequest } from './client.ts';
import { exitCodes, UsageError, type Terminal } from './terminal.ts';

/** The options of `call`. */
export const callOptions: Readonly<Record<string, Option>> = {
  output: { value: 'Json, Xml or Csv', about: 'The format of the response; by default Json.' },
  set: {
    value: 'Name=value',
    about: 'Fills {Name} in the signature; the value is never parsed as further parameters.',
    many: true,
  },
  file: { value: 'a file', about: 'The body; - for standard input.' },
  type: { value: 'a media type', about: "The media type of the body, if the file's name does not imply it." },
  queue: { about: 'Queues the call and prints its message.' },
  method: { value: 'a method', about: 'GET, POST (the default), PUT, PATCH or DELETE.' },
  'idempotency-key': {
    value: 'a word',
    about: 'An idempotency key: repeated with the same key, the call is made once.',
  },
};

const types: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.xml': 'text/xml',
  '.csv': 'text/csv',
  '.txt': 'text/plain',
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.zip': 'application/zip',
};

/** Calls an operation by its method signature, as used in configuration, and prints the answer as it arrives. */
export async function callCommand(terminal: Terminal, client: Client, args: Arguments): Promise<number> {
  const [text, ...more] = args.words;
  if (text === undefined || more.length > 0)
    throw new UsageError(
      "expected one signature, such as 'Contact/Search?LastName=Doe'; quote it, since & and ? are special to the shell",
    );
  const { route, parameters, output } = await resolveSignature(text, args.all('set'));
  const method = (args.one('method') ?? 'POST').toUpperCase();
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    throw new UsageError('--method: expected GET, POST, PUT, PATCH or DELETE');
  const body = bodyOf(terminal, args);
  if (body && method === 'GET') throw new UsageError('--file: a GET request has no body');
  const inQuery = body !== undefined || method === 'GET' || method === 'DELETE';
  const form: Parameters = { Output: args.one('output') ?? output ?? 'Json' };
  const segments = segmentsOf(route, args.has('queue')).map(encodeURIComponent);
  const path = `/api/${segments.join('/')}?${queryOf(inQuery ? { ...parameters, ...form } : form)}`;
  const key = args.one('idempotency-key');
  const request: ClientRequest = {
    method,
    headers: { ...body?.headers, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
    ...bodyMembers(body, inQuery ? undefined : parameters),
  };
  return writeResponse(terminal, await client.send(path, request));
}

/** Returns the body of a request: a file, or else the parameters as JSON. */
function bodyMembers(
  file: RequestBody | undefined,
  parameters: Parameters | undefined,
): Pick<ClientRequest, 'body' | 'type'> {
  if (file) return { body: file.bytes, type: file.type };
  return parameters ? { body: JSON.stringify(parameters), type: 'application/json' } : {};
}

/** Fills the signature's braces from `--set`. It is parsed first, so that a value is always a value. */
async function resolveSignature(
  text: string,
  sets: readonly string[],
): Promise<{ route: string; parameters: Parameters; output: string | undefined }> {
  const values = new Map<string, string>();
  for (const set of sets) {
    const at = set.indexOf('=');
    if (at < 1) throw new UsageError(`--set: expected Name=value, not ${set}`);
    values.set(set.slice(0, at), set.slice(at + 1));
  }
  const used = new Set<string>();
  try {
    const signature = parseSignature(text, { field: 'signature' });
    const parameters = await fillSignature(signature, (expression) => {
      const value = values.get(expression);
      if (value === undefined) throw new UsageError(`{${expression}} has no value: add --set ${expression}=…`);
      used.add(expression);
      return value;
    });
    const unused = [...values.keys()].find((name) => !used.has(name));
    if (unused !== undefined) throw new UsageError(`--set ${unused}: the signature has no {${unused}}`);
    return { route: signature.route, parameters, output: /[?&]output=([a-z]+)(?=&|$)/i.exec(text)?.[1] };
  } catch (error) {
    if (error instanceof PlatformError) throw new UsageError(error.message);
    throw error;
  }
}

/** Returns the route's segments; `queue` goes after the module, which a parent record and its id may precede. */
function segmentsOf(route: string, queued: boolean): string[] {
  const segments = route.split('/');
  if (!queued) return segments;
  const at = segments.length > 3 && /^\d+$/.test(segments[1] ?? '') ? 3 : 1;
  return segments[at]?.toLowerCase() === 'queue' ? segments : segments.toSpliced(at, 0, 'queue');
}

function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of Array.isArray(value) ? value : [value])
      query.append(name, typeof each === 'object' ? JSON.stringify(each) : String(each));
  }
  return query.toString();
}

interface RequestBody {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Opens the body to stream it, so that it may exceed memory. A file's length is sent, so that a body that is too large
 * is refused at once.
 */
function bodyOf(terminal: Terminal, args: Arguments): RequestBody | undefined {
  const file = args.one('file');
  const named = args.one('type');
  if (file === undefined) {
    if (named !== undefined) throw new UsageError('--type: requires --file, whose media type it names');
    return undefined;
  }
  const type = named ?? types[extname(file).toLowerCase()];
  if (type === undefined)
    throw new UsageError(
      `--file: the media type of ${file === '-' ? 'standard input' : file} is unknown; ` +
        'name it with --type, such as --type application/json',
    );
  if (file === '-') return { bytes: terminal.input, type, headers: {} };
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw Object.assign(new Error('no file'), { code: 'it is not a file' });
    return { bytes: createReadStream(file), type, headers: { 'Content-Length': String(stat.size) } };
  } catch (error) {
    throw new UsageError(`--file: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}

/** Prints a response to standard output, an error to standard error. */
async function writeResponse(terminal: Terminal, answer: Response): Promise<number> {
  if (!answer.ok) {
    const text = await answer.text();
    const line = text === '' ? `the server responded with ${answer.status}` : text;
    terminal.error(line.endsWith('\n') ? line : `${line}\n`);
    return exitCodes.refused;
  }
  let last = 0x0a;
  for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    await terminal.out(part);
    last = part.at(-1) ?? last;
  }
  // Without a final newline the prompt would follow on the same line; in a document every byte counts.
  const isText =
    answer.headers.get('content-disposition') === null && /json|xml|csv/.test(answer.headers.get('content-type') ?? '');
  if (isText && last !== 0x0a) await terminal.out('\n');
  return exitCodes.done;
}
