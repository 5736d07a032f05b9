import { nearest, PlatformError } from '../door/errors.ts';

/** Providers by contract and name. */
export interface Providers {
  /**
   * Returns the provider of a contract by name; without a name, the first registered one, or else the first saved one.
   * @throws UNKNOWN_PROVIDER listing the known names
   */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the contract's type
  get<T>(contract: string, name?: string): T;
  names(contract: string): readonly string[];
}

/** Providers of one contract that are configuration instead of code: they change while the platform runs. */
export interface SavedProviders {
  /** Returns the provider by name, ignoring case, as of the last refresh of configuration. */
  get(name: string): unknown;
  names(): readonly string[];
}

/** A registry of providers, filled by the composition at start. */
export class ProviderRegistry implements Providers {
  private readonly contracts = new Map<string, Map<string, unknown>>();

  register(contract: string, name: string, provider: unknown): void {
    const named = this.contracts.get(contract) ?? new Map<string, unknown>();
    if (named.has(name.toLowerCase())) throw new Error(`two providers of ${contract} are named ${name}`);
    named.set(name.toLowerCase(), provider);
    this.contracts.set(contract, named);
    this.spellings.set(`${contract}/${name.toLowerCase()}`, name);
  }

  private readonly spellings = new Map<string, string>();
  private readonly saved = new Map<string, SavedProviders>();

  /** Adds saved providers to those of a contract, after the registered ones. */
  join(contract: string, saved: SavedProviders): void {
    this.saved.set(contract, saved);
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the contract's type
  get<T>(contract: string, name?: string): T {
    const providerName = name ?? this.names(contract)[0];
    const provider =
      providerName === undefined
        ? undefined
        : (this.contracts.get(contract)?.get(providerName.toLowerCase()) ??
          this.saved.get(contract)?.get(providerName));
    if (provider === undefined) {
      const known = this.names(contract);
      const near = nearest(name ?? '', known);
      throw new PlatformError('UNKNOWN_PROVIDER', {
        message:
          `No ${contract} provider is ` +
          `named ${name ?? '(default)'}. ${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}` +
          `Known: ${known.join(', ') || 'none'}.`,
      });
    }
    return provider as T;
  }

  names(contract: string): readonly string[] {
    const registered = [...(this.contracts.get(contract)?.keys() ?? [])].map(
      (key) => this.spellings.get(`${contract}/${key}`) ?? key,
    );
    return [...registered, ...(this.saved.get(contract)?.names() ?? [])];
  }
}
