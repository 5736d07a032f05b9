import type { BrowserSession } from '../../../../kernel/security/identity.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** A role and what it grants. */
export interface GrantingRole {
  readonly name: string;
  readonly universal: boolean;
  readonly permissions: ReadonlySet<string>;
}

/** The store of browser sessions. */
export interface Sessions {
  open(
    person: { readonly personId: number; readonly passwordHash: string },
    from: { readonly address: string; readonly agent: string },
  ): Promise<{ readonly token: string; readonly sessionId: number; readonly expires: string }>;
  /** Returns the session of a token while it is valid, and records the use. */
  find(token: string): Promise<(BrowserSession & { readonly personId: number }) | undefined>;
  /** The same without recording a use. */
  peek(token: string): Promise<(BrowserSession & { readonly personId: number }) | undefined>;
  /** Whether there is or was a session with this token. */
  isKnown(token: string): Promise<boolean>;
  confirm(sessionId: number): Promise<void>;
  end(token: string): Promise<{ readonly sessionId: number; readonly personId: number } | undefined>;
}

/** Loads roles with their permissions, including those that statements add. Supplied by the composition. */
export interface AccessRules {
  loadRoles(db: Db): Promise<ReadonlyMap<string, GrantingRole>>;
}
