import type Stripe from 'stripe';
import type { Once, Outcome, UnknownOutcome } from '../../../contracts/payment-provider.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { OutboundRules } from '../../../kernel/security/outbound.ts';
import type { CardGatewayOptions } from './card-gateway-options.ts';
import { GatewayConnection } from './gateway-connection.ts';
import { failureOf, unavailableError, type Failure } from './gateway-errors.ts';

/** The version of the interface: what the gateway answers does not change under us. */
const API_VERSION = '2026-10-28.endive';

type Library = typeof import('stripe').default;

/** A request to the gateway by the library. */
export type GatewayRequest<T> = (gateway: Stripe) => Promise<T>;

/** Who makes a request. */
export interface CallOptions {
  /** The field of the object that the request is about. */
  readonly field: string;
  readonly signal?: AbortSignal | undefined;
}

/** The result of a request that may have failed. */
export type Attempted<T> = { readonly kind: 'done'; readonly result: T } | Failure;

/** Makes requests to the gateway by its library, which is loaded when the first one is made: it has 20 MB. */
export class GatewayClient {
  private readonly options: CardGatewayOptions;
  private readonly rules: () => OutboundRules;

  constructor(options: CardGatewayOptions, rules: () => OutboundRules) {
    this.options = options;
    this.rules = rules;
  }

  /** Loads the library. */
  async library(): Promise<Library> {
    return (await import('stripe')).default;
  }

  /** The key, which is removed from texts. */
  get key(): string {
    return this.options.ApiKey;
  }

  /** Makes a request and returns what came of it. */
  async attempt<T>(request: GatewayRequest<T>, { field, signal }: CallOptions): Promise<Attempted<T>> {
    if (signal?.aborted) throw unavailableError('the request was stopped before it was sent.');
    // A copy of a store has lost the keys of the original.
    if (!this.options.ApiKey) throw unavailableError('it has no ApiKey. An administrator can save one.');
    const Gateway = await this.library();
    const connection = new GatewayConnection(this.options, this.rules, signal);
    const gateway = new Gateway(this.options.ApiKey, {
      apiVersion: API_VERSION,
      httpClient: connection.httpClient(),
      maxNetworkRetries: 0,
      telemetry: false,
    });
    try {
      return { kind: 'done', result: await request(gateway) };
    } catch (error) {
      return failureOf(error, connection.attempt, { key: this.options.ApiKey, field });
    }
  }

  /**
   * Makes a request that can be repeated.
   * @throws PlatformError; UNAVAILABLE also if no answer came
   */
  async call<T>(request: GatewayRequest<T>, options: CallOptions): Promise<T> {
    const attempted = await this.attempt(request, options);
    switch (attempted.kind) {
      case 'done':
        return attempted.result;
      case 'error':
        throw attempted.error;
      case 'unknown':
        throw unavailableError(attempted.detail);
      case 'declined':
        throw new PlatformError('STATE_REFUSES', { field: options.field, message: attempted.decline.message });
    }
  }

  /** Makes a request whose outcome may be unknown. @throws PlatformError */
  async outcome<T>(request: GatewayRequest<T>, options: CallOptions): Promise<Outcome<T>> {
    return outcomeOf(await this.attempt(request, options), options);
  }
}

/** Returns the outcome of an attempt that cannot be declined. @throws PlatformError */
export function outcomeOf<T>(attempted: Attempted<T>, { field }: CallOptions): Outcome<T> {
  if (attempted.kind === 'done') return { status: 'done', result: attempted.result };
  if (attempted.kind === 'unknown') return unknown(attempted.detail);
  if (attempted.kind === 'error') throw attempted.error;
  throw new PlatformError('STATE_REFUSES', { field, message: attempted.decline.message });
}

/** Returns an unknown outcome. */
export function unknown(detail: string): UnknownOutcome {
  return { status: 'unknown', detail };
}

/** Returns the options of a request under a key. */
export function idempotent({ key }: Pick<Once, 'key'>): { readonly idempotencyKey: string } {
  return { idempotencyKey: key };
}
