import { nearest, PlatformError } from './errors.ts';

/** Plug-ins by contract and name, as configuration registered them. */
export interface Providers {
  /** The provider of a contract by name; without a name, the first registered. An unknown name is an error that lists the known ones. */
  get<T>(contract: string, name?: string): T;
  names(contract: string): readonly string[];
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

  get<T>(contract: string, name?: string): T {
    const named = this.contracts.get(contract);
    const provider = name === undefined ? named?.values().next().value : named?.get(name.toLowerCase());
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
    return [...(this.contracts.get(contract)?.keys() ?? [])].map((key) => this.spellings.get(`${contract}/${key}`) ?? key);
  }
}
