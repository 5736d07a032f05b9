import type { BlockList } from 'node:net';
import type { Db } from '../../../kernel/store.ts';

/** A role with what it grants. */
export interface GrantingRole {
  readonly name: string;
  readonly universal: boolean;
  readonly permissions: ReadonlySet<string>;
}

/** What identity needs of the modules of roles and keys; the composition hands it over, since modules do not know one another. */
export interface AccessRules {
  loadRoles(db: Db): Promise<ReadonlyMap<string, GrantingRole>>;
  hashOfKey(key: string): string;
  networkList(text: string): BlockList | undefined;
  emptyNetworkList(): BlockList;
  isAllowed(list: BlockList, address: string): boolean;
}
