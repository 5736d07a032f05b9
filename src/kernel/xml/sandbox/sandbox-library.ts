import makeLibrary, { type MainModule } from 'libxslt-wasm/output/libxslt.js';

/** The most memory that the library may take for one stylesheet, its input and its output, in bytes. */
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;
/** A WebAssembly page, in bytes. */
const PAGE_BYTES = 64 * 1024;
/**
 * How much stack the library's C code gets: enough for its own limit of nested templates, which is then what ends a
 * recursion.
 */
const STACK_BYTES = 8 * 1024 * 1024;
/** Most bytes of library messages that are stored: a stylesheet can write messages without end. */
const MESSAGE_BYTES_MAX = 16 * 1024;
/** Error number returned for file access and every other system call: not implemented. */
const NOT_IMPLEMENTED = 52;
/** Status returned when the library requests a URL. */
const FORBIDDEN = 403;

interface Memory {
  readonly buffer: ArrayBufferLike;
}

type Imports = Readonly<Record<string, Record<string, unknown>>>;
type Exports = Readonly<Record<string, (...values: number[]) => number>>;

/** The parts of the global WebAssembly that the library uses; the compiler's own declarations belong to browsers. */
interface Engine {
  Memory: unknown;
  Suspending: unknown;
  promising: unknown;
  instantiate(module: object, imports: Imports): Promise<{ readonly exports: Exports }>;
  compile(bytes: Uint8Array): Promise<object>;
}

/** One instance of the library, sealed off: it computes, and can do nothing else. */
export interface Library {
  readonly module: MainModule;
  /** Returns the messages since {@link Library.reset}, line by line. */
  messages(): readonly string[];
  /** Clears messages and errors before the next task. */
  reset(): void;
  /** Whether it tried to use a file, an address or another system service. It is always refused. */
  attemptedSyscall(): boolean;
  /** Whether it ran out of memory. */
  outOfMemory(): boolean;
  /** Bytes of memory that it holds; they are given back with the instance alone. */
  size(): number;
  bytes(from: number, length: number): Uint8Array;
}

/**
 * Imports that the library's own script provides: the registration of its types, the clock, its memory, and what
 * startup needs. Everything else is refused below. A name in neither list stops the library from loading, so that a
 * later version cannot add an import unnoticed.
 */
const providedImports = new Set([
  'memory',
  'emscripten_get_now',
  'emscripten_date_now',
  'clock_time_get',
  '_gmtime_js',
  '_localtime_js',
  '_tzset_js',
  'environ_get',
  'environ_sizes_get',
  '_embind_register_enum',
  '_embind_register_enum_value',
  '_embind_register_memory_view',
  '_embind_register_integer',
  '_embind_register_std_wstring',
  '_embind_register_float',
  '_embind_register_bigint',
  '_embind_register_emval',
  '_embind_register_std_string',
  '_embind_register_bool',
  '_embind_register_void',
  '_emscripten_init_main_thread_js',
  '_emscripten_thread_mailbox_await',
  '_emscripten_thread_set_strongref',
  '_emscripten_notify_mailbox_postmessage',
  '_emscripten_receive_on_main_thread_js',
  '_emscripten_thread_cleanup',
  'emscripten_check_blocking_allowed',
]);
const refusedImports = [
  '__syscall_fcntl64',
  '__syscall_openat',
  '__syscall_stat64',
  '__syscall_mkdirat',
  '__syscall_ioctl',
  '__syscall_dup',
  'fd_read',
  'fd_close',
  'fd_seek',
];
const exitImports = ['exit', 'emscripten_exit_with_live_runtime', '_abort_js'];

/** State of the instance that is being made or that runs: everything here is synchronous. */
interface LibraryTrace {
  memory: Memory | undefined;
  output: string;
  attemptedSyscall: boolean;
  outOfMemory: boolean;
}

const engine = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
const instantiate = engine.instantiate.bind(engine);
const compile = engine.compile.bind(engine);
const RealMemory = engine.Memory as new (descriptor: {
  readonly initial: number;
  readonly maximum: number;
  readonly shared: boolean;
}) => Memory;

/** The compiled library; compiling takes ten times as long as making an instance of it. */
let compiled: Promise<object> | undefined;
let traceOfNewInstance: LibraryTrace | undefined;
let lastExports: Exports = {};

/**
 * Takes over the parts of the engine through which the library would get more than it needs: memory without our bound,
 * imports that fetch and open files, and calls that leave the thread's own stack, on which recursion ends early. For a
 * thread that does nothing else.
 */
export function sealEngine(): void {
  engine.Memory = function boundedMemory(descriptor: { readonly initial: number; readonly shared: boolean }): Memory {
    const memory = new RealMemory({ ...descriptor, maximum: MEMORY_BYTES_MAX / PAGE_BYTES });
    if (traceOfNewInstance) traceOfNewInstance.memory = memory;
    return memory;
  };
  engine.Suspending = function neverSuspended(): () => never {
    return () => {
      throw new Error('the library is never suspended');
    };
  };
  engine.promising = (call: unknown) => call;
  engine.instantiate = async (bytes: object, imports: Imports) => {
    const trace = traceOfNewInstance;
    if (!trace) throw new Error('the library is made by openLibrary alone');
    const module = await (compiled ??= compile(bytes as Uint8Array));
    const instance = await instantiate(module, sealedImports(imports, trace));
    lastExports = instance.exports;
    return { instance, module } as never;
  };
}

function sealedImports(imports: Imports, trace: LibraryTrace): Imports {
  const own: Readonly<Record<string, (...values: number[]) => unknown>> = {
    ...Object.fromEntries(
      refusedImports.map((name) => [
        name,
        () => {
          trace.attemptedSyscall = true;
          return -NOT_IMPLEMENTED;
        },
      ]),
    ),
    ...Object.fromEntries(
      exitImports.map((name) => [
        name,
        () => {
          throw new Error(`the library called ${name}`);
        },
      ]),
    ),
    __asyncjs__fetchBytes: (_url = 0, buffer = 0, length = 0, status = 0) => {
      trace.attemptedSyscall = true;
      const words = new Int32Array(bufferOf(trace));
      words[buffer >> 2] = 0;
      words[length >> 2] = 0;
      words[status >> 2] = FORBIDDEN;
    },
    fd_write: (_file = 0, vectors = 0, count = 0, written = 0) => {
      const words = new Uint32Array(bufferOf(trace));
      let length = 0;
      for (let at = vectors >> 2; at < (vectors >> 2) + count * 2; at += 2) {
        const size = words[at + 1] ?? 0;
        if (trace.output.length < MESSAGE_BYTES_MAX)
          trace.output += Buffer.from(bytesOf(trace, words[at] ?? 0, Math.min(size, MESSAGE_BYTES_MAX))).toString(
            'utf8',
          );
        length += size;
      }
      words[written >> 2] = length;
      return 0;
    },
  };
  const sealed = Object.create(null) as Record<string, unknown>;
  for (const [name, given] of Object.entries({ ...imports['wasi_snapshot_preview1'], ...imports['env'] })) {
    if (Object.hasOwn(own, name)) sealed[name] = own[name];
    else if (providedImports.has(name)) sealed[name] = given;
    else if (name === 'emscripten_resize_heap') sealed[name] = trackGrowth(given as (size: number) => boolean, trace);
  }
  return { env: sealed, wasi_snapshot_preview1: sealed };
}

/** The library goes on where it gets no more memory, often with half a result; so it is remembered that it did not. */
function trackGrowth(grow: (size: number) => boolean, trace: LibraryTrace): (size: number) => boolean {
  return (size) => {
    const grown = grow(size);
    if (!grown) trace.outOfMemory = true;
    return grown;
  };
}

function bufferOf(trace: LibraryTrace): ArrayBufferLike {
  if (!trace.memory) throw new Error('the library has no memory');
  return trace.memory.buffer;
}

/** A copy: what is shared memory cannot be decoded, and may be changed by what runs next. */
function bytesOf(trace: LibraryTrace, from: number, length: number): Uint8Array {
  return new Uint8Array(bufferOf(trace)).slice(from, from + length);
}

/** A new instance with memory of its own, on an engine that {@link sealEngine} has sealed. Takes about 2 ms. */
export async function openLibrary(): Promise<Library> {
  const trace: LibraryTrace = { memory: undefined, output: '', attemptedSyscall: false, outOfMemory: false };
  traceOfNewInstance = trace;
  let module: MainModule;
  try {
    module = await makeLibrary();
  } finally {
    traceOfNewInstance = undefined;
  }
  moveStack(lastExports);
  for (const name of [
    '_exsltCommonRegister',
    '_exsltMathRegister',
    '_exsltSetsRegister',
    '_exsltStrRegister',
    '_exsltDateRegister',
  ] as const)
    module[name]();
  return {
    module,
    messages: () => trace.output.split('\n'),
    reset() {
      trace.output = '';
      trace.attemptedSyscall = false;
      trace.outOfMemory = false;
    },
    attemptedSyscall: () => trace.attemptedSyscall,
    outOfMemory: () => trace.outOfMemory,
    size: () => bufferOf(trace).byteLength,
    bytes: (from, length) => bytesOf(trace, from, length),
  };
}

/**
 * Moves the stack of the C code from the 64 KB that it was built with to a place of its own. There is no guard below
 * those: a recursion of some 1,500 templates ran through them into the library's own data, and everything after it was
 * wrong.
 */
function moveStack(exports: Exports): void {
  const { malloc, emscripten_stack_set_limits: setLimits, _emscripten_stack_restore: setStack } = exports;
  const end = malloc?.(STACK_BYTES) ?? 0;
  if (!setLimits || !setStack || end === 0) throw new Error('the library cannot be given a stack');
  // The stack grows downwards, in steps of 16 bytes.
  const start = (end + STACK_BYTES) & ~15;
  setLimits(start, end);
  setStack(start);
}
