import type { Principal } from '../../kernel/security/identity.ts';
import type { CallOutcome } from '../../kernel/door/invoke.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { Markup } from '../../kernel/render/markup.ts';

/** One request of a page: its user, what was sent, and the operations that the page calls in the user's name. */
export interface PageCall {
  readonly platform: Platform;
  readonly user: Principal;
  /** The token that the page's forms send back. */
  readonly csrf: string;
  /** The address's parameters, by their names in the route. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Parameters;
  /** The submitted form; empty for GET. */
  readonly form: Parameters;
  readonly correlationId: string;
  /** Calls an operation by its route below `/api/`. */
  call(route: string, parameters?: Parameters): Promise<CallOutcome>;
  /** Whether the user may call an operation. Pages offer nothing else. */
  may(route: string): boolean;
}

/** A page to show, or the address to redirect to. */
export type PageAnswer =
  | {
      readonly title: string;
      readonly body: Markup;
      readonly status?: number;
      readonly wide?: boolean;
      readonly scripts?: readonly string[];
    }
  | { readonly redirectTo: string };
