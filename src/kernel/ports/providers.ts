import { nearest, PlatformError } from '../door/errors.ts';

/** Plug-ins by contract and name, as configuration registered them. */
export interface Providers {
  /** The provider of a contract by name; without a name, the first registered, or the first saved where none is. An unknown name is an error that lists the known ones. */
  get<T>(contract: string, name?: string): T;
  names(contract: string): readonly string[];
}

/** Providers of one contract that are configuration rather than code: they come and go while the platform runs. */
export interface SavedProviders {
  /** The provider by name without regard to case, as configuration was when it was last fresh. */
  get(name: string): unknown;
  names(): readonly string[];
}

/** A registry of providers that the composition fills at start. */
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

  /** Lets saved providers join those of a contract, behind the registered ones. */
  join(contract: string, saved: SavedProviders): void {
    this.saved.set(contract, saved);
  }

  get<T>(contract: string, name?: string): T {
    const wanted = name ?? this.names(contract)[0];
    const provider =
      wanted === undefined
        ? undefined
        : (this.contracts.get(contract)?.get(wanted.toLowerCase()) ?? this.saved.get(contract)?.get(wanted));
    if (provider === undefined) {
      const known = this.names(contract);
      const near = nearest(name ?? '', known);
      throw new PlatformError('UNKNOWN_PROVIDER', {
        message: `No ${contract} provider is named ${name ?? '(default)'}. ${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}Known: ${known.join(', ') || 'none'}.`,
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
