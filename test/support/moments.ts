import type { RunningPlatform } from '../../src/app/platform.ts';
import { eventually } from './eventually.ts';

/**
 * Returns an instant between changes: everything written before is at or before it, everything written after is later.
 * Instants are whole milliseconds of the database's clock, which dates the changes.
 */
export function moments(platform: RunningPlatform): () => Promise<string> {
  const read = async (text: string): Promise<string> =>
    (await platform.store.query<{ at: string }>(`select ${text} as at`))[0]?.at ?? '';
  return async () => {
    const at = await read("date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'");
    return eventually('the next millisecond', async () =>
      (await read("date_trunc('milliseconds', clock_timestamp())")) > at ? at : false,
    );
  };
}
