import { randomUUID } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import { publicAddress } from '../../../../kernel/declare/core-settings.ts';

/** Returns a new Message-ID, without angle brackets, on the host of the public address. */
export function newMessageId(ctx: Pick<Context, 'settings'>): string {
  const host = new URL(ctx.settings.get(publicAddress)).hostname.replace(/[^A-Za-z0-9.-]/g, '');
  return `${randomUUID()}@${host || 'localhost'}`;
}
