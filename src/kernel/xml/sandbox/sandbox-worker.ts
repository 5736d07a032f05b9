import { parentPort, workerData } from 'node:worker_threads';
import { Cache } from '../../time/cache.ts';
import { openLibrary, sealEngine, type Library } from './sandbox-library.ts';
import type { Fault, SandboxAnswer, SandboxOutput, SandboxReply, SandboxTask } from './sandbox-task.ts';

/** After so many pieces of work an instance is replaced, whatever it holds. */
const USES_MAX = 1_000;
/** An instance larger than this is replaced: its memory can only be freed as a whole. */
const INSTANCE_BYTES_MAX = 48 * 1024 * 1024;
/**
 * Replaced instances may hold this much before the thread is ended. The engine's collector does not see their memory,
 * so it frees them late or never; the end of the thread frees them for certain.
 */
const REPLACED_BYTES_MAX = 256 * 1024 * 1024;
/** Memory of an instance that has not grown; the rest of its initial memory is reserved but never touched. */
const SMALL_INSTANCE_BYTES = 1024 * 1024;
/** Most characters of library messages in an error message. */
const MESSAGE_CHARACTERS_MAX = 300;

/**
 * Most compiled stylesheets cached per instance: more than a decision table can have rules. Compiling takes longer than
 * most transforms.
 */
const SHEETS_MAX = 256;

interface LibraryInstance {
  readonly scope: string;
  readonly library: Library;
  /** Compiled stylesheets by their text. */
  readonly sheets: Cache<string, number>;
  readonly bytesAtFirst: number;
  uses: number;
}

/** A piece of work that ended without a result; the instance that did it is not used again. */
class SandboxFault extends Error {
  readonly describeFault: Fault;
  readonly line: number | undefined;

  constructor(fault: Fault, message: string, line?: number) {
    super(message);
    this.describeFault = fault;
    this.line = line;
  }
}

let held: LibraryInstance | undefined;
let replacedBytes = 0;

/** An instance serves one scope: what was in its memory for one firm is never there when it works for another. */
async function instanceFor(scope: string): Promise<LibraryInstance> {
  if (held?.scope !== scope || held.uses >= USES_MAX || held.library.size() > INSTANCE_BYTES_MAX) discard();
  held ??= await open(scope);
  held.uses++;
  held.library.reset();
  return held;
}

function discard(): void {
  if (held) replacedBytes += SMALL_INSTANCE_BYTES + held.library.size() - held.bytesAtFirst;
  held = undefined;
}

async function open(scope: string): Promise<LibraryInstance> {
  const library = await openLibrary();
  const dispose = (sheet: number): void => {
    library.module._xsltFreeStylesheet(sheet);
  };
  return {
    scope,
    library,
    sheets: new Cache({ max: SHEETS_MAX, dispose }),
    bytesAtFirst: library.size(),
    uses: 0,
  };
}

/** Returns the compiled stylesheet from the instance's cache, compiling it if necessary. */
function compileCached({ library, sheets }: LibraryInstance, stylesheet: string): number {
  return sheets.getOrLoad(stylesheet, () => compileStylesheet(library, stylesheet));
}

function compileStylesheet(library: Library, stylesheet: string): number {
  const sheetDocument = read(library, stylesheet, 'stylesheet', true);
  if (sheetDocument === 0) throw fault(library, 'stylesheet', 'is not well-formed XML');
  const sheet = library.module._xsltParseStylesheetDoc(sheetDocument) as unknown as number;
  // The library accepts a stylesheet with unknown instructions and skips them.
  if (sheet === 0 || library.messages().some((line) => line !== ''))
    throw fault(library, 'stylesheet', 'does not compile');
  return sheet;
}

interface TransformOptions {
  readonly stylesheet: string;
  readonly xml: string;
  readonly wellFormed: boolean;
  readonly outputBytesMax: number;
}

function transform(
  instance: LibraryInstance,
  { stylesheet, xml, wellFormed, outputBytesMax }: TransformOptions,
): string {
  const { library } = instance;
  const { module } = library;
  const sheet = compileCached(instance, stylesheet);
  const input = read(library, xml, 'answer', false);
  if (input === 0) throw fault(library, 'answer', 'cannot be read');
  const result = module._xsltApplyStylesheet(sheet, input, 0) as unknown as number;
  if (
    result === 0 ||
    library.messages().some((line) => /^(?:runtime error|XPath error|.*\bI\/O error|.*\bmemory)/i.test(line))
  )
    throw fault(library, 'failed', 'failed');
  const buffer = module._xmlAllocOutputBuffer(0);
  if (module._xsltSaveResultTo(buffer, result, sheet) < 0)
    throw fault(library, 'failed', 'made nothing that can be written');
  const size = module._xmlOutputBufferGetSize(buffer);
  if (size > outputBytesMax) throw new SandboxFault('output', `made more than ${outputBytesMax} bytes`);
  const text = Buffer.from(library.bytes(module._xmlOutputBufferGetContent(buffer), size)).toString('utf8');
  module._xmlOutputBufferClose(buffer);
  module._xmlFreeDoc(result);
  module._xmlFreeDoc(input);
  if (wellFormed) assertWellFormed(library, text);
  return text;
}

function assertWellFormed(library: Library, text: string): void {
  const document = read(library, text, 'output', true);
  if (document === 0) throw fault(library, 'failed', 'made something that is not well-formed XML');
  library.module._xmlFreeDoc(document);
}

/** Parses a text; 0 where it cannot be. `loud`: with the library's own words about what is wrong. */
function read(library: Library, text: string, name: string, loud: boolean): number {
  const { module } = library;
  const { NO_XXE, NONET, BIG_LINES, NOERROR, NOWARNING } = module.xmlParserOption;
  const options = NO_XXE.value | NONET.value | BIG_LINES.value | (loud ? 0 : NOERROR.value | NOWARNING.value);
  const source = module.stringToNewUTF8(text) as number;
  const url = module.stringToNewUTF8(name) as number;
  if (source === 0 || url === 0) return 0;
  const document = module._xmlReadDoc(source, url, 0, options);
  module._free(source);
  module._free(url);
  return document;
}

/**
 * What went wrong, in the library's words; want of memory and a try to leave the sandbox come before what follows from
 * them.
 */
function fault(library: Library, kind: Fault, what: string): SandboxFault {
  if (library.outOfMemory()) return new SandboxFault('memory', 'ran out of memory');
  if (library.attemptedSyscall()) return new SandboxFault('outside', 'tried to read or write outside its input');
  const lines = library
    .messages()
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:\^+|You can adjust .*|Templates:|#\d+ name .*)$/.test(line));
  const line = /\bline (\d+)|:(\d+):/.exec(lines.find((text) => /\b(?:stylesheet line|stylesheet:)/.test(text)) ?? '');
  const reason = lines
    .map((text) =>
      text
        .replace(/^(?:compilation|runtime) error: file stylesheet line \d+ element /, 'at ')
        .replace(/^stylesheet:\d+: /, ''),
    )
    .slice(0, 6)
    .join('; ');
  return new SandboxFault(
    kind,
    reason === '' ? what : `${what}: ${reason.slice(0, MESSAGE_CHARACTERS_MAX)}`,
    line ? Number(line[1] ?? line[2]) : undefined,
  );
}

async function runTask(task: SandboxTask): Promise<SandboxReply> {
  const { scope } = task;
  if (task.kind !== 'each')
    return runGuarded(scope, (instance) =>
      task.kind === 'transform' ? transform(instance, task) : (compileCached(instance, task.stylesheet), ''),
    );
  const outputs: SandboxOutput[] = [];
  const began = performance.now();
  for (const [place, stylesheet] of task.stylesheets.entries()) {
    if (place > 0 && task.softDeadlineMs !== undefined && performance.now() - began > task.softDeadlineMs) break;
    Atomics.store(task.turn, 0, place);
    const made = await runGuarded(scope, (instance) => transform(instance, { ...task, stylesheet, wellFormed: false }));
    outputs.push(made);
    if ('fault' in made && made.fault === 'broken') return made;
  }
  return { outputs };
}

async function runGuarded(scope: string, run: (instance: LibraryInstance) => string): Promise<SandboxOutput> {
  try {
    const instance = await instanceFor(scope);
    const made = run(instance);
    if (instance.library.outOfMemory() || instance.library.attemptedSyscall())
      throw fault(instance.library, 'failed', 'failed');
    return { output: made };
  } catch (error) {
    discard();
    if (error instanceof SandboxFault)
      return {
        fault: error.describeFault,
        message: error.message,
        ...(error.line === undefined ? {} : { line: error.line }),
      };
    return {
      fault: 'broken',
      message: error instanceof Error ? error.message.slice(0, MESSAGE_CHARACTERS_MAX) : 'failed',
    };
  }
}

/** The processor time of this thread when its task began, in microseconds; the time limit counts from there. */
const taskBegan = workerData as Float64Array;

async function answer(task: SandboxTask): Promise<void> {
  const { user, system } = process.threadCpuUsage();
  taskBegan[0] = user + system;
  const reply = await runTask(task);
  parentPort?.postMessage({ reply, isSpent: replacedBytes > REPLACED_BYTES_MAX } satisfies SandboxAnswer);
}

sealEngine();
held = await open('');
parentPort?.on('message', (task: SandboxTask) => void answer(task));
parentPort?.postMessage({ ready: true });
