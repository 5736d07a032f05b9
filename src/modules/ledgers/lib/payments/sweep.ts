import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../kernel/security/system-user.ts';
import { PAYMENTS_QUEUE } from './gateways.ts';

/** Housekeeping: queues a call that settles payments and refunds whose outcome is open, once any is due. */
export const queueSettling = {
  name: 'payments to settle',
  everyMinutes: 1,
  async run(platform: Platform): Promise<number> {
    const { store, clock } = platform;
    const [due] = await store.query(
      `select 1 where exists (select from payment where nextcheck <= $1::timestamptz)
         or exists (select from paymentrefund where nextcheck <= $1::timestamptz)`,
      [clock.now()],
    );
    return due ? queueAsSystem(platform, [{ route: 'payment/settle', parameters: {}, queueName: PAYMENTS_QUEUE }]) : 0;
  },
} as const;
