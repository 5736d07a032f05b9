import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { deliveryBatch } from '../records/deliverybatch.record.ts';
import { delivery } from './delivery.record.ts';

const refusal = (what: string): PlatformError =>
  new PlatformError('STATE_REFUSES', {
    message: `${what} are created by delivery/prepare and changed only by the other operations of delivery.`,
  });

export const checks = [
  defineCheck({
    on: delivery,
    doc: 'Letters are created and change state by operations of delivery, not by saves.',
    run(_ctx, { values, id }) {
      if (id === undefined || values.Status !== undefined || values.Delivery !== undefined) throw refusal('Letters');
    },
  }),
  defineCheck({
    on: deliveryBatch,
    doc: 'Mailings are created and change state by operations of delivery; a save only renames them.',
    run(_ctx, { values, id }) {
      if (id === undefined || values.Status !== undefined) throw refusal('Mailings');
    },
  }),
];

export const reactions = [
  defineReaction({
    on: delivery,
    after: ['delete'],
    doc: 'Refuses to delete a letter that is, or may be, at a mail house, or was.',
    run(_ctx, row) {
      if (!['Preparing', 'Prepared', 'Canceled', 'Failed'].includes(row.Status ?? '') || row.BegunDate !== null)
        throw new PlatformError('STATE_REFUSES', {
          field: 'ID',
          message: `ID: letter ${row.DeliveryID} was or is being mailed; it is kept as evidence.`,
        });
      return Promise.resolve();
    },
  }),
];
