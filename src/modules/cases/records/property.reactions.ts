import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { stateOfZip } from '../../../lib/postal/zip-state.ts';
import { property } from './property.record.ts';

export const checks = [
  defineCheck({
    on: property,
    doc:
      'Derives an empty State from the postal code, and derives it again when the code changes. A State that was ' +
      'entered is never changed.',
    async run(ctx, { values, id }) {
      if ((values.State ?? '') !== '') {
        values.StateDerived = null;
        return;
      }
      if (values.PostalCode === undefined) return;
      if (id !== undefined) {
        const stored = await readRecord(ctx.db, property, id);
        const isEntered = (stored.State ?? '') !== '' && stored.StateDerived !== true;
        if (values.State === undefined && isEntered) return;
        if (values.State === undefined && values.PostalCode === stored.PostalCode && stored.State !== null) return;
      }
      const state = stateOfZip(values.PostalCode ?? '') ?? null;
      values.State = state;
      values.StateDerived = state === null ? null : true;
    },
  }),
];
