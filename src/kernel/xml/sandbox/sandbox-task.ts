/** Work for a thread of the sandbox; plain data, since it is handed over. */
export type SandboxTask = {
  /** Whose data it is: work of different scopes never shares memory. */
  readonly scope: string;
} & (
  | { readonly kind: 'compile'; readonly stylesheet: string }
  | {
      readonly kind: 'transform';
      readonly stylesheet: string;
      readonly xml: string;
      readonly wellFormed: boolean;
      readonly outputBytesMax: number;
    }
  /**
   * Several stylesheets over one document, one after another; a failure does not stop the others. `turn` is shared
   * memory with the index of the running one: after a thread is terminated, nothing else says which it was. After
   * `softDeadlineMs` no further one is started.
   */
  | {
      readonly kind: 'each';
      readonly stylesheets: readonly string[];
      readonly xml: string;
      readonly outputBytesMax: number;
      readonly softDeadlineMs?: number;
      readonly turn: Int32Array;
    }
);

/**
 * Why there is no result. `stylesheet`: it does not compile. `answer`: its input cannot be read. `failed`: it failed
 * while it ran. `memory`, `output`: it went beyond a limit. `outside`: it asked for a file or an address. `broken`: the
 * library failed in a way that must not be, and the thread is not used again.
 */
export type Fault = 'stylesheet' | 'answer' | 'failed' | 'memory' | 'output' | 'outside' | 'broken';

/** That a stylesheet made nothing, and why. */
export interface FaultReply {
  readonly fault: Fault;
  readonly message: string;
  readonly line?: number;
}

/** What one stylesheet made. */
export type SandboxOutput = { readonly output: string } | FaultReply;

/** What a thread answers: `outputs` to `each`, in the order of its stylesheets. */
export type SandboxReply = SandboxOutput | { readonly outputs: readonly SandboxOutput[] };

/** What a thread sends after each task. */
export interface SandboxAnswer {
  readonly reply: SandboxReply;
  /** The thread holds memory that only its end frees. */
  readonly isSpent: boolean;
}
