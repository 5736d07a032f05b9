import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../kernel/security/system-user.ts';
import { PAYMENTS_QUEUE } from './gateways.ts';

/** Housekeeping: queues a call that settles cards and bank accounts that are not known yet to be stored. */
export const queueOpenMethods = {
  name: 'payment methods to settle',
  everyMinutes: 5,
  async run(platform: Platform): Promise<number> {
    const { store, clock } = platform;
    const [due] = await store.query(
      "select 1 from paymentmethod where status = 'Requested' and nextcheck <= $1::timestamptz limit 1",
      [clock.now()],
    );
    return due
      ? queueAsSystem(platform, [
          { route: 'paymentmethod/settle', parameters: {}, queueName: PAYMENTS_QUEUE, isRepeated: true },
        ])
      : 0;
  },
} as const;

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
    return due
      ? queueAsSystem(platform, [
          { route: 'payment/settle', parameters: {}, queueName: PAYMENTS_QUEUE, isRepeated: true },
        ])
      : 0;
  },
} as const;

/** Housekeeping: queues a call that settles subscriptions whose outcome is not known, once any is due. */
export const queueOpenSubscriptions = {
  name: 'subscriptions of unknown outcome',
  everyMinutes: 5,
  async run(platform: Platform): Promise<number> {
    const { store, clock } = platform;
    const [due] = await store.query('select 1 from paymentsubscription where nextcheck <= $1::timestamptz limit 1', [
      clock.now(),
    ]);
    return due
      ? queueAsSystem(platform, [
          { route: 'paymentsubscription/settle', parameters: {}, queueName: PAYMENTS_QUEUE, isRepeated: true },
        ])
      : 0;
  },
} as const;
