import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';

/** Which items of a team are listed. */
export interface TeamFilter {
  readonly team: number;
  readonly queue?: number | undefined;
  /** A user's id, or `none` for unassigned items. */
  readonly person?: string | undefined;
  readonly cursor?: string | undefined;
}

/** Returns the filter of a request, for a team. */
export function teamFilter({ query, form }: PageCall, team: number): TeamFilter {
  const queue = plainText(form['queue'] ?? query['queue']);
  const person = plainText(form['person'] ?? query['person']);
  const cursor = plainText(query['cursor']);
  return {
    team,
    queue: /^\d{1,15}$/.test(queue) ? Number(queue) : undefined,
    person: /^(?:\d{1,15}|none)$/.test(person) ? person : undefined,
    cursor: cursor === '' ? undefined : cursor,
  };
}

/** Returns the address of a team's page with a filter. */
export function teamPath({ team, queue, person, cursor }: TeamFilter): string {
  const query = new URLSearchParams({
    team: String(team),
    ...(queue === undefined ? {} : { queue: String(queue) }),
    ...(person === undefined ? {} : { person }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return `/team?${query.toString()}`;
}
