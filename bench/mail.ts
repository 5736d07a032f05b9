import { benchReceiving } from './mail/receiving.ts';
import { benchSending } from './mail/sending.ts';
import type { BenchOptions } from './run.ts';

/** Mail that is sent, and mail that is received. */
export async function bench(options: BenchOptions): Promise<void> {
  await benchSending(options);
  await benchReceiving(options);
}
