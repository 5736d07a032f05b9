import type { Configuration } from '../database/configuration.ts';
import type { Db } from '../database/store.ts';
import type { Preferences } from './preferences.ts';

/** Built-in users, who never sign in: `System` does the platform's own work, `Workflow` runs the steps of workflows. */
export type BuiltinUser = 'System' | 'Workflow';

/** What roles grant together. */
export interface Rights {
  /** A role grants universal row access; it never bypasses permissions. */
  readonly universal: boolean;
  readonly permissions: ReadonlySet<string>;
}

/** Who a call runs as: a person with the permissions of their roles, at most half a second old. */
export interface Principal extends Rights {
  readonly personId: number;
  /** The sign-in name. */
  readonly name: string;
  readonly organizationId: number | null;
  readonly roles: readonly string[];
  /**
   * An agent acts for the user, without the permissions that agents never have; what it queues runs without them too.
   */
  readonly agent?: true;
  /** The browser session that the call comes from; undefined for keys, Basic credentials and queued calls. */
  readonly session?: BrowserSession;
  /** What colleagues call the user of a browser session; undefined if nobody has said. */
  readonly firstName?: string;
  /** How the console looks and behaves for the user of a browser session. */
  readonly preferences?: Preferences;
  /** The password was set by another user: the caller can only change it. */
  readonly mustChangePassword?: true;
  /** A browser session queued the call whose user had not confirmed their identity recently. */
  readonly unconfirmed?: true;
}

/** What the user of a browser session has proved. */
export type AuthenticationLevel = 'Password';

/** A user's browser session. */
export interface BrowserSession {
  readonly sessionId: number;
  readonly level: AuthenticationLevel;
  /** When the user last proved it, in ISO 8601. */
  readonly authenticatedDate: string;
}

/** What proves a caller's identity. */
export type Credential =
  | { readonly kind: 'apikey'; readonly key: string }
  | { readonly kind: 'basic'; readonly name: string; readonly password: string }
  | { readonly kind: 'session'; readonly token: string };

/** A browser's sign-in. */
export interface OpenedSession {
  /** Proves the sign-in; only the browser knows it. */
  readonly token: string;
  /** Shows at later sign-ins that the user has signed in in this browser before. */
  readonly device: string;
  readonly expires: string;
  readonly principal: Principal;
  readonly preferences: Preferences;
}

/**
 * The port through which the door authenticates. Refusals throw NOT_SIGNED_IN or TOO_MANY and are written to the
 * security log.
 */
export interface Identity {
  authenticate(credential: Credential, address: string): Promise<Principal>;
  /** Signs a person in at a browser. The token is always new: nothing that the browser sent becomes a sign-in. */
  signIn(
    name: string,
    password: string,
    from: { readonly address: string; readonly agent: string; readonly device?: string | undefined },
  ): Promise<OpenedSession>;
  /**
   * Confirms the identity of a session's user by their password, which counts like a sign-in. From now on the session
   * is as if they had just signed in.
   */
  confirm(token: string, password: string, address: string): Promise<void>;
  /** Ends a token's sign-in; an invalid token is ignored. */
  signOut(token: string, address: string): Promise<void>;
  /**
   * Returns the principal of an open browser session without counting this as a use of it; undefined if it has ended.
   * For what a browser does without its user.
   */
  ofSession(token: string): Promise<Principal | undefined>;
  /** Whether a token is that of a session of this installation, open or ended. */
  isSessionToken(token: string): Promise<boolean>;
  /** Returns the principal of a stored person, for queued and scheduled calls. Refused if the person is not active. */
  ofPerson(personId: number): Promise<Principal>;
  /** Reads users, keys and sessions anew: this process has changed some. Others do so within half a second. */
  forget(): void;
  /** Returns what roles grant together, by name, as the connection reads them now. Unknown names grant nothing. */
  rightsOfRoles(db: Db, names: readonly string[]): Promise<Rights>;
  /**
   * Returns the id of a built-in user; undefined if the installation has removed it. A transaction that has changed
   * configuration has its own.
   */
  builtinPersonId(configuration: Configuration, name: BuiltinUser): Promise<number | undefined>;
}

/** An entry of the security log: the event's fixed name, who and what it concerned, never a secret. */
export interface SecurityEvent {
  readonly event: string;
  readonly personId?: number | null;
  readonly object?: string;
  readonly objectId?: number | null;
  readonly address?: string;
  readonly detail?: string;
}

/** A security event of which a user may cause only so many. */
export type LimitedEvent = SecurityEvent & { readonly personId: number };

/** How many events of one kind a user may cause within a number of minutes. */
export interface EventLimit {
  readonly most: number;
  readonly minutes: number;
  /**
   * How many events this one counts as; default 1. 0 counts and logs nothing, and is refused where one more would be.
   */
  readonly count?: number;
}

/** Returns the firm whose rows the principal reaches, or null for universal access. 0 reaches nothing. */
export function firmOf(principal: Principal): number | null {
  return principal.universal ? null : (principal.organizationId ?? 0);
}

/**
 * Returns the sandbox scope of the principal's work: one firm's data shares no memory with another's, nor with staff's.
 */
export function sandboxScope(principal: Principal): string {
  const firm = firmOf(principal);
  return firm === null ? 'staff' : `firm ${firm}`;
}

/**
 * Whether the principal may see masked values: it has the permission, ignoring case, and is no agent, since what an
 * agent reads goes into a model's prompt.
 */
export function mayUnmask(principal: Principal, permission: string | null): boolean {
  const required = permission?.trim().toLowerCase() ?? '';
  return (
    principal.agent !== true &&
    required !== '' &&
    [...principal.permissions].some((held) => held.toLowerCase() === required)
  );
}
