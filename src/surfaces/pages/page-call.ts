import type {
  AnswerTo,
  MoreParametersFor,
  OnlyKnown,
  OperationName,
  RecordAnswerFor,
  RecordOperationName,
  SentParametersFor,
  SentRecordParametersFor,
} from '../../kernel/declare/catalog.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import type { PlatformError } from '../../kernel/door/errors.ts';
import type { Principal } from '../../kernel/security/identity.ts';
import type { CallOutcome } from '../../kernel/door/call.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import type { Preferences } from '../../kernel/security/preferences.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import type { Markup } from '../../kernel/render/markup.ts';
import type { AssetName } from './assets/entries.ts';
import type { PlaceName } from './shell/places.ts';
import type { Crumb } from './shell/top-bar.ts';

/** One request of a page: its user, what was sent, and the operations that the page calls in the user's name. */
export interface PageCall {
  readonly platform: Platform;
  readonly user: Principal;
  readonly preferences: Preferences;
  /** The token that the page's forms send back. */
  readonly csrf: string;
  /** The address's parameters, by their names in the route. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Parameters;
  /** The submitted form; empty for GET. */
  readonly form: Parameters;
  /** Why the password that the form sent along does not confirm the user's identity; changes are refused with it. */
  readonly refusal: PlatformError | undefined;
  readonly correlationId: string;
  /** Where the page listens to changes from, taken before it read anything; undefined while nobody listens. */
  readonly liveSince: string | undefined;
  /** Calls an operation. `more`: parameters whose names are known only at run time. */
  call<N extends OperationName, const P extends SentParametersFor<N>>(
    name: N,
    parameters: P & OnlyKnown<P, SentParametersFor<N>>,
    more?: MoreParametersFor<N>,
  ): Promise<CallOutcome<AnswerTo<N, P>>>;
  /** Calls an operation for the records below a parent. `parent`: its part of the route, such as `loan/5`. */
  callBelow<N extends OperationName, const P extends SentParametersFor<N>>(
    parent: string,
    name: N,
    parameters: P & OnlyKnown<P, SentParametersFor<N>>,
  ): Promise<CallOutcome<AnswerTo<N, P>>>;
  /**
   * Calls a generic operation of a record type known only at run time. `parent`: as in `callBelow`, for the records
   * below a record.
   */
  callOf<N extends RecordOperationName, const P extends SentRecordParametersFor<N>>(
    record: RecordType,
    name: N,
    parameters: P & OnlyKnown<P, SentRecordParametersFor<N>>,
    parent?: string,
  ): Promise<CallOutcome<RecordAnswerFor<N>>>;
  /** Calls an operation whose route below `/api/` is known only at run time. */
  callNamed(route: string, parameters?: Parameters): Promise<CallOutcome>;
  /**
   * Calls an operation that creates a record, once for a key: a form that is sent again, as by a second click, creates
   * no second record.
   * @throws IDEMPOTENCY_MISMATCH if the key was used with other parameters
   */
  callOnce<N extends OperationName, const P extends SentParametersFor<N>>(
    key: string,
    name: N,
    parameters: P & OnlyKnown<P, SentParametersFor<N>>,
  ): Promise<CreatedOnce>;
  /** Whether the user may call an operation. Pages offer nothing else. */
  may(name: OperationName): boolean;
  /** Whether the user may call a generic operation. */
  mayOf(record: RecordType, name: RecordOperationName): boolean;
}

/** What a call that is made once created. A repeated call returns the same. */
export interface CreatedOnce {
  readonly id: number;
  /** The codes of the alerts. */
  readonly alerts: readonly string[];
}

/** A page to show. */
export interface ShownPage {
  readonly title: string;
  readonly body: Markup;
  readonly status?: number;
  /** Which entry of the sidebar is current; `none` for a page that is in none of the places. */
  readonly place: PlaceName;
  /** The way here, the page itself last; by default its title. */
  readonly crumbs?: readonly Crumb[];
  /** Scripts of the page besides the shell's. */
  readonly entries?: readonly AssetName[];
  /** Whether the page's panes scroll each by itself, and the page does not. */
  readonly hasPanes?: boolean;
  /** Whether the page has no sidebar, so that nothing draws the eye away from it. */
  readonly isFocused?: boolean;
  /** What the top bar has instead of the way here. */
  readonly topLeft?: Markup;
  /** The page of another site to which the browser goes automatically; the body has a link to it. */
  readonly continueAt?: string;
  /** Words about what was just done, with a way back. */
  readonly toasts?: readonly Markup[];
}

/** A document that a sandboxed frame of a page shows, with the policy that holds for it. */
export interface FramePage {
  readonly document: string;
  readonly policy: string;
}

/**
 * A page to show, the address to redirect to, a piece of HTML that a script puts into a page, or the document of a
 * frame.
 */
export type PageAnswer =
  | ShownPage
  | { readonly redirectTo: string }
  | { readonly fragment: Markup }
  | { readonly frame: FramePage };
