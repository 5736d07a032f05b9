import type { RunningPlatform } from '../../src/app/platform.ts';
import { eventually } from './eventually.ts';

/**
 * Instants between changes: whatever was written before is at or before the instant that is answered, whatever is
 * written after it is later. They are whole milliseconds of the database's clock, which says when a change was made.
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
