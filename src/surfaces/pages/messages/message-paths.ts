/** The inbox. */
export const INBOX_PATH = '/messages';
/** The page on which a message is written. */
export const COMPOSE_PATH = '/messages/new';

/** Returns the address of a message: its conversation, on a page of its own. */
export function messagePath(id: number): string {
  return `${INBOX_PATH}/${id}`;
}

/** Returns the address of the page that shows what became of a message at each of its recipients. */
export function recipientsPath(id: number): string {
  return `${messagePath(id)}/recipients`;
}

/** What a new message begins with. */
export interface ComposeStart {
  readonly Object?: string;
  readonly ObjectID?: number | string;
  /** The message that it answers, or forwards. */
  readonly Reply?: number;
  readonly ReplyAll?: number;
  readonly Forward?: number;
  /** Where to go once it is sent. */
  readonly Back?: string;
}

/** Returns the address at which a message is written. */
export function composePath(start: ComposeStart = {}): string {
  const known = Object.entries(start).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(known.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return query === '' ? COMPOSE_PATH : `${COMPOSE_PATH}?${query}`;
}

/** Returns the address to go back to that a form sent: a page of this server. Anything else leads to the inbox. */
export function backPath(sent: string): string {
  return /^\/(?![/\\])[^\s\\]*$/.test(sent) ? sent : INBOX_PATH;
}
