import type { AuthenticationResults } from './authentication-results.ts';

/** Emails of a mailbox whose servers are remembered, the newest. */
export const REMEMBERED_MAILS_MAX = 20;
/** Stands for an email without a header Authentication-Results. */
const NO_HEADER = '.';
/** Stands for a server that writes no name, also in configuration. */
export const UNNAMED_SERVER = '-';
/** A server's name as configuration may have it. */
const NAME = /^[^\s",;=()<>\\]{1,255}$/;

/** Whether configuration may have this name of a server. */
export function isServerName(name: string): boolean {
  return NAME.test(name);
}

/** Returns the server that wrote the topmost header of a mail, as {@link rememberServers} takes it. */
export function checkingServer([topmost]: readonly AuthenticationResults[]): string {
  if (!topmost) return NO_HEADER;
  const name = topmost.server || UNNAMED_SERVER;
  return isServerName(name) ? name : NO_HEADER;
}

/** Returns the remembered servers, the newest first. `text` is what is stored; empty if no email was received yet. */
export function rememberedServers(text: string | null | undefined): readonly string[] {
  return (text ?? '') === '' ? [] : (text ?? '').split(',').slice(0, REMEMBERED_MAILS_MAX);
}

/** Returns the text to be stored once emails have been received; `servers` are theirs, the newest last. */
export function rememberServers(text: string | null, servers: readonly string[]): string {
  return [...servers.toReversed(), ...rememberedServers(text)].slice(0, REMEMBERED_MAILS_MAX).join(',');
}

/** What the newest emails say about how a mailbox's server checks senders. */
export interface UsualServer {
  /** The server that checked more than half of them; undefined if there is none. */
  readonly name: string | undefined;
  /** How many of them it checked. */
  readonly count: number;
  readonly mails: number;
}

/** Returns the server that checked most of the newest emails: a single forged header must not name it. */
export function usualServer(text: string | null | undefined): UsualServer {
  const servers = rememberedServers(text);
  const counts = new Map<string, number>();
  for (const name of servers) if (name !== NO_HEADER) counts.set(name, (counts.get(name) ?? 0) + 1);
  const [name, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [undefined, 0];
  const isUsual = name !== undefined && count * 2 > servers.length;
  return { name: isUsual ? name : undefined, count: isUsual ? count : 0, mails: servers.length };
}

/** Returns the servers whose headers count for a mailbox: the configured ones, by default its host. In lower case. */
export function trustedServers(configured: string | null | undefined, host: string | null | undefined): string[] {
  const names = (configured ?? '').split(',').map((name) => name.trim().toLowerCase());
  const given = names.filter((name) => name !== '');
  return given.length > 0 ? given : [(host ?? '').toLowerCase()];
}
