/** Work for a thread of the sandbox; plain data, since it is handed over. */
export type SandboxTask = {
  readonly stylesheet: string;
  /** Whose data it is: work of different scopes never shares memory. */
  readonly scope: string;
} & ({ readonly kind: 'compile' } | { readonly kind: 'transform'; readonly xml: string; readonly wellFormed: boolean; readonly outputBytesMax: number });

/**
 * Why there is no result. `stylesheet`: it does not compile. `answer`: its input cannot be read. `failed`: it failed while it
 * ran. `memory`, `output`: it went beyond a limit. `outside`: it asked for a file or an address. `broken`: the library failed
 * in a way that must not be, and the thread is not used again.
 */
export type Fault = 'stylesheet' | 'answer' | 'failed' | 'memory' | 'output' | 'outside' | 'broken';

/** What a thread answers. */
export type SandboxReply = { readonly output: string } | { readonly fault: Fault; readonly message: string; readonly line?: number };
