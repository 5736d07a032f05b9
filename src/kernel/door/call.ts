import type { Operation } from '../declare/operation.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Surface } from '../ports/metrics.ts';
import type { Credential, Principal } from '../security/identity.ts';
import type { Answer } from './answer.ts';
import type { Body } from './context.ts';
import type { Alert, PlatformError } from './errors.ts';
import type { IdempotentRequest, RenderedAnswer } from './idempotency.ts';
import type { Route } from './route.ts';

/** A call as a surface passes it to the door. */
export interface Call {
  readonly route: Route;
  /** A function if the parameters may be read only after the caller has been authorized. */
  readonly parameters: Parameters | ((operation: Operation, user: Principal) => Promise<Parameters> | Parameters);
  /** What proves who calls; absent where the surface has established `principal` (a queued call, a session). */
  readonly credential?: Credential | undefined;
  readonly principal?: Principal | undefined;
  /** Called once it is known who calls, before anything can be refused for lack of permission. */
  readonly onAuthenticated?: (user: Principal) => void;
  /** The caller's network address, for limits and the security log. */
  readonly address: string;
  readonly correlationId: string;
  /** The surface that the call came through; `http` by default. */
  readonly surface?: Surface;
  readonly body?: Body | undefined;
  readonly cause?: readonly string[];
  /** Longest time that one SQL statement may take, in milliseconds; the pool's limit by default. */
  readonly statementMilliseconds?: number;
  /**
   * Whether the caller has gone. A call that still waits for others is then not carried out, unless it has an
   * Idempotency-Key, by which the caller can get the answer later.
   */
  readonly isCanceled?: () => boolean;
  /** The Idempotency-Key, and how the answer is rendered to be stored under it. */
  readonly idempotency?:
    | (IdempotentRequest & { readonly render: (outcome: CallOutcome) => RenderedAnswer })
    | undefined;
}

/** The result of a call. `replay` replaces the answer if the Idempotency-Key repeated an earlier call. */
export interface CallOutcome<A extends Answer = Answer> {
  readonly operation: Operation;
  readonly answer: A;
  readonly alerts: readonly Alert[];
  readonly queued: boolean;
  readonly replay?: RenderedAnswer;
  /** Returned to the caller instead of the answer: the call committed, but one of its consequences failed. */
  readonly failure?: PlatformError;
}
