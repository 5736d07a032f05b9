/** Who a call runs as: one person with the permissions of its roles, as they stood at most half a second ago. */
export interface Principal {
  readonly personId: number;
  /** The sign-in name. */
  readonly name: string;
  readonly organizationId: number | null;
  readonly roles: readonly string[];
  /** True where a role carries universal row access; it never bypasses permissions. */
  readonly universal: boolean;
  readonly permissions: ReadonlySet<string>;
  /** An agent acts for the user, without what agents never have; what it queues runs without that too. */
  readonly agent?: true;
}

/** What a caller proved its identity with. */
export type Credential =
  | { readonly kind: 'apikey'; readonly key: string }
  | { readonly kind: 'basic'; readonly name: string; readonly password: string }
  | { readonly kind: 'session'; readonly token: string };

/** What a browser keeps of its user's sign-in. */
export interface OpenedSession {
  /** Proves the sign-in from now on; known to the browser alone. */
  readonly token: string;
  readonly expires: string;
  readonly principal: Principal;
}

/** The port through which the door learns who calls. Refusals throw NOT_SIGNED_IN or TOO_MANY and are written to the security log. */
export interface Identity {
  authenticate(credential: Credential, address: string): Promise<Principal>;
  /** Signs a person in at a browser. The token is always a new one: nothing that the browser brought becomes a sign-in. */
  signIn(
    name: string,
    password: string,
    from: { readonly address: string; readonly agent: string },
  ): Promise<OpenedSession>;
  /** Ends the sign-in of a token; one that does not stand is left as it is. */
  signOut(token: string, address: string): Promise<void>;
  /** The principal of a stored person, for queued and scheduled calls; refused where the person is no longer active. */
  ofPerson(personId: number): Promise<Principal>;
}

/** What is written to the security log: an event's fixed name, whom and what it concerned, never a secret. */
export interface SecurityEvent {
  readonly event: string;
  readonly personId?: number | null;
  readonly object?: string;
  readonly objectId?: number | null;
  readonly address?: string;
  readonly detail?: string;
}

/** The firm whose rows the principal reaches, or null for universal access. 0 reaches nothing. */
export function firmOf(principal: Principal): number | null {
  return principal.universal ? null : (principal.organizationId ?? 0);
}

/** Whose data work for the principal is, in the sandbox: that of one firm shares no memory with another's, nor with staff's. */
export function sandboxScope(principal: Principal): string {
  const firm = firmOf(principal);
  return firm === null ? 'staff' : `firm ${firm}`;
}

/** Whether the principal is shown what is masked: it holds the permission, in whatever case it is written, and is no agent, since what an agent reads goes into a model's prompt. */
export function mayUnmask(principal: Principal, permission: string | null): boolean {
  const wanted = permission?.trim().toLowerCase() ?? '';
  return (
    principal.agent !== true &&
    wanted !== '' &&
    [...principal.permissions].some((held) => held.toLowerCase() === wanted)
  );
}
