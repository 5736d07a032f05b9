import { benchSending } from './mail/sending.ts';
import type { BenchOptions } from './run.ts';

/** Mail that is sent. */
export async function bench(options: BenchOptions): Promise<void> {
  await benchSending(options);
}
