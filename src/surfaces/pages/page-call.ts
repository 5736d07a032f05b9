import type { Principal } from '../../kernel/security/identity.ts';
import type { CallOutcome } from '../../kernel/door/invoke.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { Markup } from '../../kernel/render/markup.ts';

/** What a page is made of: it calls operations as its user, through the one door, and reads nothing beside them. */
export interface PageCall {
  readonly platform: Platform;
  readonly user: Principal;
  /** The token that the page's forms send back. */
  readonly csrf: string;
  /** The address's parameters, by the names in the route. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Parameters;
  /** What a form sent; empty where the page is only asked for. */
  readonly form: Parameters;
  readonly correlationId: string;
  /** Calls an operation by its route below `/api/`. */
  call(route: string, parameters?: Parameters): Promise<CallOutcome>;
  /** Whether the user may call an operation; what it may not call is not offered. */
  may(route: string): boolean;
}

/** A page to show, or the address of the next one. */
export type PageAnswer =
  | {
      readonly title: string;
      readonly body: Markup;
      readonly status?: number;
      readonly wide?: boolean;
      readonly scripts?: readonly string[];
    }
  | { readonly redirectTo: string };
