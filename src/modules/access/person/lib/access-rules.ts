import type { BlockList } from 'node:net';
import type { Db } from '../../../../kernel/database/store.ts';

/** A role with what it grants. */
export interface GrantingRole {
  readonly name: string;
  readonly universal: boolean;
  readonly permissions: ReadonlySet<string>;
}

/** The sign-ins at browsers, which the module of sessions keeps. */
export interface Sessions {
  open(
    person: { readonly personId: number; readonly passwordHash: string },
    from: { readonly address: string; readonly agent: string },
  ): Promise<{ readonly token: string; readonly sessionId: number; readonly expires: string }>;
  find(token: string): Promise<{ readonly sessionId: number; readonly personId: number } | undefined>;
  end(token: string): Promise<{ readonly sessionId: number; readonly personId: number } | undefined>;
}

/** What identity needs of the modules of roles and keys; the composition hands it over, since modules do not know one another. */
export interface AccessRules {
  loadRoles(db: Db): Promise<ReadonlyMap<string, GrantingRole>>;
  hashOfKey(key: string): string;
  networkList(text: string): BlockList | undefined;
  emptyNetworkList(): BlockList;
  isAllowed(list: BlockList, address: string): boolean;
}
