/** One text to render, by the name that errors use. */
export interface LiquidText {
  readonly name: string;
  readonly text: string;
  /** Whether values are escaped for HTML. */
  readonly html: boolean;
}

/** Work for the thread: plain data, since it is handed over. */
export interface LiquidTask {
  readonly texts: readonly LiquidText[];
  /** The values that templates refer to; undefined to only check the templates. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** Whether an undefined variable is an error. */
  readonly strictVariables: boolean;
  /** IANA name of the zone in which dates are written. */
  readonly timeZone: string;
}

/** What is wrong with a text. */
export interface LiquidProblem {
  readonly name: string;
  readonly message: string;
  /** The line of the text, counted from 1. */
  readonly line?: number;
  /** The variable that has no value. */
  readonly variable?: string;
}

/** What the thread answers. `variables`: the names that templates refer to, without what follows the first point. */
export type LiquidReply =
  | { readonly outputs: readonly string[]; readonly variables: readonly (readonly string[])[] }
  | { readonly problem: LiquidProblem };
