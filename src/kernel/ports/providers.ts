import { didYouMean, PlatformError } from '../door/errors.ts';

/** Key of the type in a {@link Contract}; exists for the type checker alone. */
declare const providerType: unique symbol;

/** A kind of provider: its name, and the type that its providers have. */
export interface Contract<T> {
  readonly name: string;
  readonly [providerType]?: T;
}

/**
 * Declares a contract. Each is declared once, as a constant in the file of its interface; providers are found by this
 * constant, not by its name.
 *
 * @example export const GEOCODER = contract<Geocoder>('geocoder');
 */
export function contract<T>(name: string): Contract<T> {
  return Object.freeze({ name });
}

/** Providers by contract and name. */
export interface Providers {
  /**
   * Returns the provider of a contract by name, ignoring case; without a name, the first registered one, or else the
   * first saved one.
   * @throws UNKNOWN_PROVIDER listing the known names
   */
  get<T>(contract: Contract<T>, name?: string): T;
  names(contract: Contract<unknown>): readonly string[];
}

/** Providers of one contract that are configuration instead of code: they change while the platform runs. */
export interface SavedProviders<T> {
  /** Returns the provider by name, ignoring case, as of the last refresh of configuration. */
  get(name: string): T | undefined;
  names(): readonly string[];
}

/** The providers of one contract. */
interface ContractProviders<T> {
  /** By lower-cased name, in the order of their registration. */
  readonly registered: Map<string, { readonly name: string; readonly provider: T }>;
  saved: SavedProviders<T> | undefined;
}

/** A registry of providers, filled by the composition at start. */
export class ProviderRegistry implements Providers {
  private readonly contracts = new Map<Contract<unknown>, ContractProviders<unknown>>();

  /** Adds a provider. Throws if the contract has one of this name, ignoring case. */
  register<T>(contract: Contract<T>, name: string, provider: NoInfer<T>): void {
    const { registered } = this.providersOf(contract);
    if (registered.has(name.toLowerCase())) throw new Error(`two providers of ${contract.name} are named ${name}`);
    registered.set(name.toLowerCase(), { name, provider });
  }

  /** Adds saved providers to those of a contract, after the registered ones. */
  join<T>(contract: Contract<T>, saved: SavedProviders<NoInfer<T>>): void {
    this.providersOf(contract).saved = saved;
  }

  get<T>(contract: Contract<T>, name?: string): T {
    const { registered, saved } = this.providersOf(contract);
    const providerName = name ?? this.names(contract)[0];
    const provider =
      providerName === undefined
        ? undefined
        : (registered.get(providerName.toLowerCase())?.provider ?? saved?.get(providerName));
    if (provider === undefined) throw this.unknownProvider(contract, name);
    return provider;
  }

  names(contract: Contract<unknown>): readonly string[] {
    const { registered, saved } = this.providersOf(contract);
    return [...[...registered.values()].map(({ name }) => name), ...(saved?.names() ?? [])];
  }

  private unknownProvider(contract: Contract<unknown>, name: string | undefined): PlatformError {
    const known = this.names(contract);
    return new PlatformError('UNKNOWN_PROVIDER', {
      message:
        `No ${contract.name} provider is named ${name ?? '(default)'}.${didYouMean(name ?? '', known)} ` +
        `Known: ${known.join(', ') || 'none'}.`,
    });
  }

  /** Returns the providers of a contract. The map's only writer is typed, so they have the type of their contract. */
  private providersOf<T>(contract: Contract<T>): ContractProviders<T> {
    let known = this.contracts.get(contract) as ContractProviders<T> | undefined;
    if (!known) {
      known = { registered: new Map(), saved: undefined };
      this.contracts.set(contract, known);
    }
    return known;
  }
}
